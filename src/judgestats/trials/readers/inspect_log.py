"""placeholder"""
from typing import Any
INSPECT_OPTIONS = ("scorer",)
def is_inspect_json(path: Any, file: str) -> bool:
    return False
def read_inspect(*a: Any) -> Any:
    raise NotImplementedError
