"""The SARIF 2.1.0 format, with everything that GitHub code scanning reads.

One run a file. All rules are declared, also those that found nothing, so that a consumer can tell "ran and
clean" from "unknown rule". Suppressed findings are absent: GitHub would show them as open alerts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from fairlint.findings.finding import Finding, Fix, FlowStep
from fairlint.findings.levels import SEVERITIES, Confidence, Severity
from fairlint.findings.report import NotAnalysed, Report
from fairlint.reporters import ReportOptions, uris
from fairlint.reporters.encoding import Json, encode_json, without_surrogates
from fairlint.reporters.json import law_object, points_object
from fairlint.reporters.markdown import plain
from fairlint.reporters.places import some_of
from fairlint.reporters.printable import printable
from fairlint.reporters.provenance import provenance_object
from fairlint.reporters.summary import count_with_noun, left_out_files
from fairlint.reporters.unheeded import unheeded_clause as unheeded
from fairlint.rules.loading import is_shipped
from fairlint.sources.unread import counted_kinds
from fairlint.support.about import __version__, homepage, rule_page
from fairlint.support.causes import BROKEN
from fairlint.syntax.source import Position

if TYPE_CHECKING:
    from fairlint.laws import Law
    from fairlint.rules.rule import Rule

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LAWS = "laws"
"""What the taxonomy is called."""
MOST_RESULTS = 25_000
"""GitHub refuses a file with more."""
MOST_STEPS = 1_000
MOST_TAGS = 10
LONGEST_DESCRIPTION = 1_024
LONGEST_SHORT = 255

_PROBLEM: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "recommendation"}
_RANK: dict[Confidence, float] = {"high": 90.0, "medium": 60.0, "low": 30.0}
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z])")
_LINK_LIKE = re.compile(r"\](?=\()")
_PLACEHOLDER_LIKE = re.compile(r"\{(?=\d)")


def report(report: Report, options: ReportOptions) -> Iterator[str]:
    """Return the whole report as one SARIF log."""
    return encode_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [_Run(report, options).document()]})


class _Run:
    """One run, and the indices that its parts refer to each other by."""

    def __init__(self, report: Report, options: ReportOptions) -> None:
        self._report = report
        self._options = options
        self._root = uris.repository_root(options.root)
        self._provenance = options.provenance
        self._rules = sorted(options.load_rules(), key=lambda rule: rule.code)
        self._findings = _gravest_findings(report.findings, MOST_RESULTS)
        self._laws = self._laws_by_id()
        self._descriptors = [self._rule_descriptor(rule) for rule in self._rules]
        self._rule_index = {rule.code: index for index, rule in enumerate(self._rules)}
        for finding in self._findings:
            if finding.rule not in self._rule_index:
                self._rule_index[finding.rule] = len(self._descriptors)
                self._descriptors.append(_unknown_rule(finding))
        paths = dict.fromkeys(
            [
                *(finding.path for finding in self._findings),
                *(step.path for finding in self._findings for step in finding.flow),
                *(gap.path for gap in report.not_analysed),
            ]
        )
        self._artifact_index = {path: index for index, path in enumerate(sorted(paths))}

    def document(self) -> Json:
        return {
            "tool": {
                "driver": {
                    "name": "fairlint",
                    **_address_property("informationUri", homepage()),
                    "version": __version__,
                    "semanticVersion": _semantic_version(__version__),
                    "fullDescription": {
                        "text": "Finds where Python and C code treats people by a protected attribute, "
                        "and says what each group gains or loses."
                    },
                    "rules": self._descriptors,
                    **({"supportedTaxonomies": [{"name": LAWS, "index": 0}]} if self._laws else {}),
                }
            },
            **({"taxonomies": [_laws_taxonomy(self._laws.values())]} if self._laws else {}),
            "automationDetails": {"id": "fairlint/"},
            "columnKind": "unicodeCodePoints",
            **self._version_control(),
            "originalUriBaseIds": {
                "%SRCROOT%": {
                    **({} if self._options.portable else {"uri": uris.file_uri(self._root, folder=True)}),
                    "description": {"text": "The root of the repository, or else the working folder."},
                }
            },
            "invocations": [self._run_invocation()],
            "artifacts": [self._artifact_object(path) for path in self._artifact_index],
            "results": [self._finding_result(finding) for finding in self._findings],
            **self._run_properties(),
        }

    def _laws_by_id(self) -> Mapping[str, Law]:
        """Return the laws that findings and rules refer to."""
        from fairlint.laws import laws_in_force  # noqa: PLC0415 (start-up)

        of_rules = (
            law.id for rule in self._rules for law in laws_in_force(rule.laws, self._options.jurisdiction)
        )
        ids = {*of_rules, *(id_ for finding in self._findings for id_ in finding.laws)}
        return {law.id: law for law in laws_in_force(sorted(ids))}

    def _taxa_references(self, ids: Iterable[str]) -> list[Json]:
        """Return references to laws of the taxonomy."""
        places = {id_: index for index, id_ in enumerate(self._laws)}
        component: Json = {"name": LAWS, "index": 0}
        return [{"id": id_, "index": places[id_], "toolComponent": component} for id_ in ids if id_ in places]

    def _rule_descriptor(self, rule: Rule) -> dict[str, Json]:
        """Return a rule with what it has to do with laws: which of them belong to a result depends on the
        result.
        """
        from fairlint.laws import laws_in_force  # noqa: PLC0415 (start-up)

        laws = [law.id for law in laws_in_force(rule.laws, self._options.jurisdiction)]
        related: list[Json] = [
            {"target": taxon, "kinds": ["relevant"]} for taxon in self._taxa_references(laws)
        ]
        descriptor = _descriptor_of_rule(rule, self._options.jurisdiction)
        return descriptor | {"relationships": related} if related else descriptor

    def _version_control(self) -> dict[str, Json]:
        """Return the state of each repository whose address is known: the standard has no entry
        without one.
        """
        if self._provenance is None:
            return {}
        told: list[Json] = [
            {
                "repositoryUri": one.address,
                **({"revisionId": one.commit} if one.commit else {}),
                **({"branch": without_surrogates(one.branch)} if one.branch else {}),
                "mappedTo": uris.folder_location(one.folder, root=self._root),
            }
            for one in self._provenance.checkouts
            if one.address
        ]
        return {"versionControlProvenance": told} if told else {}

    def _run_properties(self) -> dict[str, Json]:
        if self._provenance is None:
            return {}
        return {"properties": {"provenance": provenance_object(self._provenance)}}

    def _run_invocation(self) -> Json:
        notifications = [self._gap_notification(gap) for gap in self._report.not_analysed]
        left_out = len(self._report.findings) - len(self._findings)
        if left_out:
            number = f"{count_with_noun(left_out, 'finding')} {'is' if left_out == 1 else 'are'}"
            text = f"{number} left out, the mildest: a run of SARIF holds at most {MOST_RESULTS}"
            self._options.tell(text)
            notifications.append(
                {
                    "level": "warning",
                    "descriptor": {"id": "left-out"},
                    "message": {"text": text},
                    "properties": {"leftOut": left_out},
                }
            )
        if self._report.unread:
            notifications.append(
                {
                    "level": "warning",
                    "descriptor": {"id": "not-read"},
                    "message": {"text": f"not read: {counted_kinds(self._report.unread)}"},
                    "properties": {kind: len(paths) for kind, paths in self._report.unread.items()},
                }
            )
        if self._report.left_out:
            notifications.append(
                {
                    "level": "warning",
                    "descriptor": {"id": "left-out-files"},
                    "message": {"text": left_out_files(self._report)},
                }
            )
        return {
            "executionSuccessful": not self._report.failed,
            "exitCode": self._options.exit_code,
            **({} if self._provenance is None else {"endTimeUtc": self._provenance.date}),
            "workingDirectory": uris.folder_location(self._options.root, root=self._root)
            if self._options.portable
            else {"uri": uris.file_uri(self._options.root, folder=True)},
            "toolExecutionNotifications": notifications,
        }

    def _gap_notification(self, gap: NotAnalysed) -> Json:
        line = max(gap.line, 1)
        where = f"line {line}" if gap.cell is None else f"cell {gap.cell}, line {line}"
        # where a cell's line stands in the notebook's own text is known of findings alone
        place = (Position(line, 1), None) if gap.cell is None else None
        return {
            "level": "error" if gap.cause in BROKEN else "warning",
            "descriptor": {"id": "not-analysed"},
            "message": {"text": f"{printable(gap.path)}, {where}, was not analysed: {printable(gap.reason)}"},
            "locations": [{"physicalLocation": self._physical_location(gap.path, place)}],
            "properties": {"cause": gap.cause},
        }

    def _artifact_object(self, path: str) -> Json:
        artifact: dict[str, Json] = {"location": self._artifact_location(path), "roles": ["analysisTarget"]}
        source = self._report.sources.get(path)
        if source is not None and source.language:
            artifact["sourceLanguage"] = source.language
        return artifact

    def _artifact_location(self, path: str) -> dict[str, Json]:
        return {
            **uris.location(path, working_folder=self._options.root, root=self._root),
            "index": self._artifact_index[path],
        }

    def _physical_location(self, path: str, region: tuple[Position, Position | None] | None) -> Json:
        physical: dict[str, Json] = {"artifactLocation": self._artifact_location(path)}
        if region is not None:
            start, end = region
            last = {} if end is None else {"endLine": end.line, "endColumn": end.column}
            physical["region"] = {"startLine": start.line, "startColumn": start.column, **last}
        return physical

    def _station_location(self, station: Finding | FlowStep) -> dict[str, Json]:
        """Return the location of a finding or a step; in a notebook, the lines of its JSON that hold the
        code.
        """
        region = station.region or (station.start, station.end)
        place: dict[str, Json] = {"physicalLocation": self._physical_location(station.path, region)}
        if station.cell is not None:
            place["logicalLocations"] = [{"name": f"cell {station.cell}", "kind": "cell"}]
        return place

    def _finding_result(self, finding: Finding) -> Json:
        related = [step for step in finding.flow if not _same_place(step, finding)][:MOST_STEPS]
        result: dict[str, Json] = {
            "ruleId": finding.rule,
            "ruleIndex": self._rule_index[finding.rule],
            "level": finding.severity,
            "kind": "fail",
            "rank": _RANK[finding.confidence],
            "message": {"text": _message_text(finding, related)},
            "locations": [self._station_location(finding)],
            "partialFingerprints": {
                "primaryLocationLineHash": finding.line_hash,
                "fairlint/v1": finding.fingerprint,
                "fairlint/v2": str(finding.identity),
            },
            "properties": _result_properties(finding),
        }
        if taxa := self._taxa_references(finding.laws):
            result["taxa"] = taxa
        if related:
            result["relatedLocations"] = [
                {"id": number, **self._station_location(step), "message": {"text": printable(step.message)}}
                for number, step in enumerate(related, 1)
            ]
        if any(not step.also for step in finding.flow):
            result["codeFlows"] = [{"threadFlows": [{"locations": self._flow_locations(finding)}]}]
        if finding.fix is not None:
            result["fixes"] = [self._fix_object(finding.path, finding.fix)]
        return result

    def _fix_object(self, path: str, fix: Fix) -> Json:
        return {
            "description": {
                "text": _end_sentence(f"{fix.title[:1].upper()}{_escape_message(fix.title[1:])}")
            },
            "artifactChanges": [
                {
                    "artifactLocation": self._artifact_location(path),
                    "replacements": [
                        {
                            "deletedRegion": {
                                "startLine": edit.first.line,
                                "startColumn": edit.first.column,
                                "endLine": edit.last.line,
                                "endColumn": edit.last.column,
                            },
                            **({"insertedContent": {"text": edit.text}} if edit.text else {}),
                        }
                        for edit in fix.edits
                    ],
                }
            ],
            "properties": {"applicability": fix.applicability},
        }

    def _flow_locations(self, finding: Finding) -> list[Json]:
        """From the read to the decision; the decision itself is the last, essential step."""
        way = (step for step in finding.flow if not step.also)
        stations: list[Finding | FlowStep] = list(islice(way, MOST_STEPS - 1))
        if not stations or not _same_place(stations[-1], finding):
            stations.append(finding)
        last = len(stations) - 1
        return [
            {
                "location": {
                    **self._station_location(station),
                    "message": {"text": printable(station.message)},
                },
                "executionOrder": number + 1,
                "nestingLevel": 0,
                "importance": "essential" if number == last else "important",
            }
            for number, station in enumerate(stations)
        ]


def _same_place(one: Finding | FlowStep, other: Finding | FlowStep) -> bool:
    return (one.path, one.cell, one.start, one.end) == (other.path, other.cell, other.start, other.end)


def _gravest_findings(findings: Sequence[Finding], most: int) -> Sequence[Finding]:
    if len(findings) <= most:
        return findings
    by_gravity = sorted(findings, key=lambda finding: -SEVERITIES.index(finding.severity))
    return sorted(by_gravity[:most], key=lambda finding: finding.sort_key)


def _semantic_version(version: str) -> str:
    """Return a Python version as a semantic one: `0.2.0.dev3` → `0.2.0-dev3`."""
    found = re.match(r"(\d+)(?:\.(\d+))?(?:\.(\d+))?[.-]?(.*)", version)
    if found is None:
        return "0.0.0"
    core = ".".join(part or "0" for part in found.group(1, 2, 3))
    extra = re.sub(r"[^0-9A-Za-z.-]+", "-", found[4])
    return f"{core}-{extra}" if extra else core


def _escape_message(text: str) -> str:
    """Return text for a SARIF message, so that nothing in it reads as a link or a placeholder."""
    return _PLACEHOLDER_LIKE.sub("{{", _LINK_LIKE.sub(r"\\]", printable(text)))


def _link_text(text: str, number: int) -> str:
    label = printable(text).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return f"[{label}]({number})"


def _end_sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _message_text(finding: Finding, steps: Sequence[FlowStep]) -> str:
    """Return the finding in a first sentence of its own, then the way of the value and the other places of
    the same problem, then the advice.
    """
    where = "" if finding.cell is None else f" (cell {finding.cell}, line {finding.start.line})"
    parts = [_end_sentence(_escape_message(finding.message) + where)]
    linked = [
        (step.also, _link_text(step.message, number)) for number, step in enumerate(steps, 1) if step.message
    ]
    if way := ", then ".join(link for also, link in linked if not also):
        parts.append(f"Path of the value: {way}.")
    if places := [link for also, link in linked if also]:
        parts.append(f"The same problem: {some_of(places)}.")
    if finding.advice:
        parts.append(_end_sentence(_escape_message(finding.advice)))
    return " ".join(parts)


def _result_properties(finding: Finding) -> Json:
    use = finding.use
    properties: dict[str, Json] = {
        "severity": finding.severity,
        "confidence": finding.confidence,
        "attribute": use.attribute,
        "attributes": list(use.attributes),
        "kind": use.kind,
        "effect": use.effect,
        "groups": [without_surrogates(group) for group in use.groups],
        "points": points_object(use.points),
        "evidence": [without_surrogates(item.reason) for item in use.evidence],
    }
    if use.context.name:
        properties["tags"] = [f"context/{use.context.name}"]
        properties["context"] = use.context.name
        properties["contextEvidence"] = [without_surrogates(item.reason) for item in use.context.evidence]
    if finding.unheeded:
        properties["unheeded"] = [unheeded(one) for one in finding.unheeded]
    if use.outcomes:
        properties["outcomes"] = {
            without_surrogates(group): without_surrogates(text) for group, text in use.outcomes.items()
        }
    return properties


def _shorten_text(text: str, longest: int) -> str:
    """`text` cut at the end of a sentence or word, if it has to be."""
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    sentence = cut.rfind(". ")
    if sentence > longest // 2:
        return cut[: sentence + 1]
    return f"{cut.rpartition(' ')[0] or cut}…"


def _address_property(name: str, url: str) -> dict[str, Json]:
    """Return a property that is an address; none where there is no address."""
    return {name: url} if url else {}


def _laws_taxonomy(laws: Iterable[Law]) -> Json:
    """Return the taxonomy of laws."""
    return {
        "name": LAWS,
        "version": __version__,
        "shortDescription": {"text": "Laws that findings of fairlint may be about: no legal advice."},
        "isComprehensive": False,
        "taxa": [
            {
                "id": law.id,
                "name": _shorten_text(law.short, LONGEST_SHORT),
                "shortDescription": {"text": _shorten_text(_end_sentence(law.told), LONGEST_SHORT)},
                **_address_property("helpUri", law.url),
                "properties": law_object(law),
            }
            for law in laws
        ],
    }


def _descriptor_of_rule(rule: Rule, jurisdiction: str) -> dict[str, Json]:
    page = rule.page.strip() or rule.advice
    summary = plain(rule.summary).strip() or _end_sentence(rule.advice)
    reason = " ".join(plain(rule.section("Why it matters")).partition("\n\n")[0].split())
    references = "".join(
        f"\n- {_reference_link(item.title, item.url)}" for item in rule.sources(jurisdiction)
    )
    markdown = f"{page}\n\n## References\n{references}\n" if references else f"{page}\n"
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": _shorten_text(_SENTENCE_END.split(summary)[0], LONGEST_SHORT)},
        "fullDescription": {"text": _shorten_text(f"{summary} {reason}".strip(), LONGEST_DESCRIPTION)},
        **_address_property("helpUri", rule_page(rule.code, rule.name) if is_shipped(rule) else ""),
        "help": {"text": plain(markdown), "markdown": markdown},
        "defaultConfiguration": {"level": rule.severity, "enabled": True, "rank": _RANK[rule.confidence]},
        "properties": {
            "precision": rule.confidence,
            "problem.severity": _PROBLEM[rule.severity],
            "tags": list(dict.fromkeys(["fairness", *rule.tags, *rule.languages]))[:MOST_TAGS],
        },
    }


def _reference_link(title: str, url: str) -> str:
    return f"[{title}]({url})" if url else title


def _unknown_rule(finding: Finding) -> dict[str, Json]:
    """Return what can be said about a rule whose page is not at hand, from one of its findings."""
    name = finding.name or finding.rule
    text = _end_sentence(finding.advice or name)
    return {
        "id": finding.rule,
        "name": name,
        "shortDescription": {"text": _shorten_text(text, LONGEST_SHORT)},
        "fullDescription": {"text": _shorten_text(text, LONGEST_DESCRIPTION)},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": finding.severity},
        "properties": {
            "precision": finding.confidence,
            "problem.severity": _PROBLEM[finding.severity],
            "tags": ["fairness"],
        },
    }
