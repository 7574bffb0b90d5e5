"""The suites that fairlint ships, without any of their code, so that help and completion can name them."""

from __future__ import annotations

from collections.abc import Mapping

SHIPPED: Mapping[str, str] = {
    "faircode:function": "fairlint.bench.suites.faircode_function",
    "faircode:testcase": "fairlint.bench.suites.faircode_testcase",
    "btm": "fairlint.bench.suites.btm",
    "btm-334": "fairlint.bench.suites.btm_dataset",
    "code-bias": "fairlint.bench.suites.code_bias",
    "code-review": "fairlint.bench.suites.code_review",
    "parallel-prompts": "fairlint.bench.suites.parallel_prompts",
    "counterfactual": "fairlint.bench.suites.counterfactual",
    "pipelines": "fairlint.bench.suites.pipelines",
    "solar": "fairlint.bench.suites.solar",
}
"""Suite → the module that has it as `SUITE`."""
