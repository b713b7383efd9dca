"""``judgestats demo``: the report on simulated judges whose effects are known."""

from __future__ import annotations

from judgestats.cli.options import AsJson, Debug, OutFolder, Overwrite, Quiet, RootSeed
from judgestats.cli.session import guarded


@guarded
def demo(
    out: OutFolder,
    overwrite: Overwrite = False,
    seed: RootSeed = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run the demo analysis: 960 simulated trials with planted effects, printed beside the estimates."""
    from judgestats.cli.running import Request, run_and_say
    from judgestats.study.catalog import demo_folder

    request = Request(demo_folder(), None, out, overwrite=overwrite, seed=seed, verb="demo")
    run_and_say(request, as_json=as_json, quiet=quiet)
