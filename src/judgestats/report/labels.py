"""Labels: the words that pages use for estimands, statuses, outcomes and checks."""

from __future__ import annotations

import unicodedata

BLOCKS = ("congruent", "incongruent", "none")

STATUS_WORDS = {
    "valid": "valid",
    "refusal": "refused",
    "malformed": "malformed",
    "filtered": "filtered",
    "truncated": "truncated",
    "error": "error",
    "missing": "missing",
}

ESTIMAND_WORDS = {
    "validity": "P(valid)",
    "validity_difference": "Difference in P(valid)",
    "consistency": "P({success} | valid)",
    "accuracy": "P({success} | valid)",
    "delta_p": "Delta P",
    "delta_p_naive": "Naive Delta P, from both stages (lost trials never count as {success})",
    "log_odds": "Log-odds effect of the block",
    "error_ratio": "Ratio of error rates",
    "valid_and_consistent": "P(valid and {success})",
    "worst_case_low": "Worst-case lower bound of Delta P",
    "worst_case_high": "Worst-case upper bound of Delta P",
    "contrast": "Contrast",
    "rank": "Rank",
    "sigma_item": "Item standard deviation (log-odds)",
    "sigma_cluster": "Cluster standard deviation (log-odds)",
}

VERSION_WORDS = {
    "marginal": "marginal",
    "in_sample": "observed items",
    "typical_item": "typical item",
}

SCALE_WORDS = {
    "probability": "Probabilities",
    "difference": "Differences of probabilities, congruent minus incongruent",
    "probability_difference": "Differences of probabilities, congruent minus incongruent",
    "log_odds": "Log-odds",
    "log-odds": "Log-odds",
    "ratio": "Ratios",
    "rank": "Ranks",
}

OUTCOME_WORDS = {
    "beyond": "beyond the ROPE",
    "inside": "inside the ROPE",
    "undecided": "undecided",
    "not_resolved": "not resolved",
    "not_estimable": "not estimable",
}

CRITERION_WORDS = {
    "rhat": "R-hat",
    "ess_bulk": "ESS bulk",
    "ess_tail": "ESS tail",
    "ebfmi": "E-BFMI",
    "mcse": "MCSE",
    "mcse_share": "MCSE as a share of the interval's width",
    "end_share": "Error of an end as a share of the interval's width",
}

NO_ROPE_WORDS = {"beyond": "interval excludes {null}", "undecided": "interval includes {null}"}
ROPE_LONG = "ROPE (region of practical equivalence)"

GATE_SHORT = {"pass": "passed", "warn": "look", "fail": "failed", "undefined": "not computed"}
GATE_WORDS = {status: f"Computation: {word}" for status, word in GATE_SHORT.items()}

SENSITIVITY_WORDS = {
    "prior": "Other priors (refits)",
    "power_scaling": "Power-scaling of prior and likelihood",
    "loss_rule": "Treatment of lost trials",
    "pooling": "Pooling of cells",
    "leave_one_out": "Leaving one item out",
    "stage_correlation": "Correlated stages",
}

IMPLIED_PRIOR = "implied"  # a row of the prior table that says what the priors imply and is no parameter

# Settings of checks/loss_rules.py, which imports too much to be imported for its words.
LOST_AS_FAILURES = "lost trials counted inconsistent"
LOST_MODELLED = "lost trials modelled (valid and consistent, both stages)"

SCHEME_WORDS = {
    "within_item": "within item",
    "between_items": "between items, within a cluster where there are clusters",
    "between_clusters": "between whole clusters",
    "within_judge": "within judge, as published",
}

STAGE_WORDS = {"validity": "stage A, validity", "shift": "stage B, consistency given valid", "joint": "both stages"}

COLUMN_LEGEND = (
    "Median, mean and sd describe the posterior; the interval's kind and probability stand in its column head. "
    "P(>0) is the posterior probability of a positive value, P(in ROPE) of a value inside the region of practical "
    "equivalence, beside it the prior's own mass there. The exact engine has no chains, so no R-hat and no ESS: a column "
    '"numerical error" takes the place of the MCSE, and the note below each table says of which kind it is. Digits follow it.'
)


def outcome_key(outcome: str | None) -> str | None:
    """Return an outcome of the decision rule in one spelling, e.g. ``not_resolved``."""
    return None if outcome is None else outcome.strip().lower().replace(" ", "_").replace("-", "_")


def outcome_label(outcome: str | None, *, has_rope: bool, null: str = "0") -> str:
    """Return the words for an outcome; where there is no ROPE it is about `null`, the value that means no effect."""
    words = OUTCOME_WORDS if has_rope else OUTCOME_WORDS | NO_ROPE_WORDS
    return words.get(outcome or "", (outcome or "").replace("_", " ")).replace("{null}", null)


def setting_label(setting: str, success: str = "consistent", failure: str = "inconsistent") -> str:
    """Return the words for an alternative analysis; the two that count lost trials as no success are told apart."""
    return {
        LOST_AS_FAILURES: f"refit with lost trials as {failure}",
        LOST_MODELLED: f"from both stages: lost trials never count as {success}",
    }.get(setting, setting)


def criterion_label(name: str) -> str:
    """Return the words for a criterion of the gate."""
    return CRITERION_WORDS.get(name, name.replace("_", " "))


def statistic_label(name: str) -> str:
    """Return the words for a predictive statistic, e.g. ``items with 2 successes``."""
    stem, _, k = name.partition("=")
    words = {
        "delta_p": "Delta P",
        "validity_difference": ESTIMAND_WORDS["validity_difference"],
        "mass_in_rope": "mass in the ROPE (interval: Monte Carlo error)",
        "items_with_k_successes": f"items with {k} success" + ("" if k == "1" else "es"),
    }
    return words.get(stem, name.replace("_", " "))


def permuted_label(statistic: str) -> str:
    """Return the words for the statistic of a permutation test, e.g. ``posterior mean Delta P``."""
    return statistic.replace("delta_p", ESTIMAND_WORDS["delta_p"]).replace("_", " ")


def sentence_case(text: str) -> str:
    """Return text with its first letter large and the rest as it is."""
    return text[:1].upper() + text[1:]


def estimand_label(name: str, success: str = "consistent") -> str:
    """Return the words for an estimand, its own name without underscores where there are none."""
    if name == "error_ratio" and success != "consistent":
        return f"Ratio of the rates of other than {success} answers"
    return ESTIMAND_WORDS.get(name, name.replace("_", " ")).replace("{success}", success)


def visible(text: object, limit: int | None = None) -> str:
    """Return untrusted text on one line with control, bidirectional and other invisible characters shown as escapes.

    HTML escaping is the templates' work; this keeps a name from reordering or hiding what stands around it.

    Parameters
    ----------
    text : object
        A name or an answer, from outside.
    limit : int, optional
        Longest text; what is cut is counted at its end.

    Returns
    -------
    str
        Printable text.
    """
    raw = str(text)
    out = []
    for char in raw:
        if char in "\n\r\t":
            out.append(" ")
        elif unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"):
            out.append(f"\\u{ord(char):04x}")
        else:
            out.append(char)
    shown = "".join(out)
    if limit is not None and len(shown) > limit:
        return f"{shown[:limit]}… ({len(shown) - limit} more characters)"
    return shown
