"""What the generated leak test asks with: every operation of the contract, and for each the
requests that could bring out something private.

An operation is asked with ids of private things in its path, with words out of them in its query,
and with bodies made from its schema. What is sent is known, so that an answer which repeats it is
told from one that gives something away.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any
from urllib.parse import unquote

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.scale import FULL

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
MOST_OPTIONAL = 12
"""Properties of a body up to which they are also sent two by two."""
MULTIPART = "multipart/form-data"


@dataclass(frozen=True)
class Thing:
    """Something that the home holds, under a name that may be asked for and with a fact that nobody
    sends.
    """

    name: str
    fact: str
    ids: tuple[str, ...] = ()

    @property
    def cue(self) -> str:
        """A word of its text by which its owner asks for it, so that the question gives nothing
        away.
        """
        return self.name[::-1].casefold()

    @property
    def text(self) -> str:
        """A sentence that holds all three."""
        return f"{self.name} keeps the {self.fact} of {self.cue} in the hollow tree."


@dataclass(frozen=True)
class Operation:
    """One method of one path, as the contract describes it."""

    method: str
    path: str
    said: Mapping[str, Any] = field(repr=False)
    schemas: Mapping[str, Any] = field(repr=False)

    @property
    def key(self) -> str:
        """How it is named in a message."""
        return f"{self.method} {self.path}"

    def names(self, place: str) -> list[tuple[str, Mapping[str, Any]]]:
        """Return its parameters in the path or in the query."""
        return [
            (each["name"], each["schema"])
            for each in self.said.get("parameters", ())
            if each["in"] == place
        ]

    def schema(self, kind: str) -> Mapping[str, Any] | None:
        """Return the schema of its body of this content type."""
        content = self.said.get("requestBody", {}).get("content", {})
        return self.resolved(content[kind]["schema"]) if kind in content else None

    def resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Follow a reference."""
        while "$ref" in schema:
            schema = self.schemas[schema["$ref"].rpartition("/")[2]]
        return schema


def operations(contract: Mapping[str, Any]) -> list[Operation]:
    """Return everything that the contract offers."""
    schemas = contract["components"]["schemas"]
    return [
        Operation(method.upper(), path, said, schemas)
        for path, methods in contract["paths"].items()
        for method, said in methods.items()
    ]


def undescribed(app: Flask, known: Collection[Operation]) -> set[str]:
    """Return the routes of the application that the contract does not describe."""
    there = {(each.method, each.path) for each in known}
    found = set()
    for rule in app.url_map.iter_rules():
        plain = "".join(
            f"{{{part.rpartition(':')[2]}}}" if is_name else part
            for is_name, part in _parts(rule.rule)
        )
        found |= {
            f"{method} {plain}"
            for method in (rule.methods or set()) & set(METHODS)
            if (method, plain) not in there
        }
    return found


def _parts(rule: str) -> Iterator[tuple[bool, str]]:
    for number, part in enumerate(rule.replace(">", "<").split("<")):
        yield number % 2 == 1, part


@dataclass(frozen=True)
class Values:
    """What is put where: by the name of a parameter or a property."""

    paths: Callable[[Operation, str], Sequence[str]]
    """Ids for a parameter of a path."""
    named: Mapping[str, Sequence[object]]
    """Values for a property, or a parameter of a query, of this name."""
    files: Sequence[tuple[bytes, str]]
    """Bytes and names of files that are sent."""

    def of(self, operation: Operation, name: str, schema: Mapping[str, Any]) -> Sequence[object]:
        """Return what is tried for a property: what goes by its name, else what its schema
        allows.
        """
        schema = operation.resolved(schema)
        if schema.get("format") == "binary":
            return self.files
        usable = [each for each in self.named.get(name, ()) if _fits(operation, each, schema)]
        if usable:
            return usable
        if "anyOf" in schema:
            branches = [each for each in schema["anyOf"] if each.get("type") != "null"]
            return [value for each in branches for value in self.of(operation, "", each)] or [None]
        return self._plain(operation, schema)

    def _plain(self, operation: Operation, schema: Mapping[str, Any]) -> Sequence[object]:
        if chosen := schema.get("enum", [schema["const"]] if "const" in schema else []):
            return list(chosen)
        kind = schema.get("type")
        if kind == "boolean":
            return [True, False]
        if kind in {"integer", "number"}:
            return [schema.get("default") or schema.get("minimum") or 1]
        if kind == "array":
            return [[each] for each in self.of(operation, "", schema.get("items", {}))]
        if kind == "object":
            wanted = schema.get("required", ())
            return [
                {name: self.of(operation, name, schema["properties"][name])[0] for name in wanted}
            ]
        return [
            {"date-time": "2026-03-14T09:00:00Z", "date": "2026-03-14"}.get(
                schema.get("format", ""), "word"
            )
        ]


def _fits(operation: Operation, value: object, schema: Mapping[str, Any]) -> bool:
    """Tell whether a value is of a type that a schema takes, in the way a query or JSON has it."""
    branches = [operation.resolved(each) for each in schema.get("anyOf", [schema])]
    kinds = {each.get("type") for each in branches}
    if isinstance(value, bool):
        return "boolean" in kinds
    if isinstance(value, list):
        return "array" in kinds
    return ("string" if isinstance(value, str) else "integer") in kinds


@dataclass(frozen=True)
class Request:
    """One request that is made."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: object = None
    form: Mapping[str, Any] | None = None

    @property
    def sent(self) -> str:
        """Everything of it that an answer may repeat."""
        form = {
            name: (
                value[0].decode("utf-8", "replace") + value[1]
                if isinstance(value, tuple)
                else value
            )
            for name, value in (self.form or {}).items()
        }
        return json.dumps(
            [self.path, dict(self.query), self.body, form], ensure_ascii=False, default=str
        ).casefold()

    def ask(self, client: FlaskClient, headers: Mapping[str, str]) -> TestResponse:
        """Make it."""
        if self.form is not None:
            form = {
                name: (io.BytesIO(value[0]), value[1]) if isinstance(value, tuple) else value
                for name, value in self.form.items()
            }
            return client.open(
                self.path,
                method=self.method,
                headers=dict(headers),
                data=form,
                content_type=MULTIPART,
                query_string=dict(self.query),
            )
        return client.open(
            self.path,
            method=self.method,
            headers=dict(headers),
            json=self.body,
            query_string=dict(self.query),
        )


def requests(operation: Operation, values: Values) -> Iterator[Request]:
    """Generate what an operation is asked: each value in its query, and bodies of up to two
    optional properties.

    At length each of these goes to every id in its path; otherwise each goes to one of them, and
    every id is asked plainly.
    """
    named = [(name, values.paths(operation, name)) for name, _ in operation.names("path")]
    (least, *more), (first, *bodies) = _queries(operation, values), _bodies(operation, values)
    asked = [
        (least, first),
        *((query, first) for query in more),
        *((least, body) for body in bodies),
    ]
    places = list(product(*(ids for _, ids in named)))
    for number, found in enumerate(places):
        path = operation.path
        for (name, _), each in zip(named, found, strict=True):
            path = path.replace(f"{{{name}}}", each)
        for query, (body, form) in asked if FULL else [asked[0], *asked[1 + number :: len(places)]]:
            yield Request(operation.method, path, query, body, form)


def _queries(operation: Operation, values: Values) -> Iterator[dict[str, Any]]:
    """Yield no query, each parameter with each of its values, and what is required always."""
    wanted = {
        each["name"]
        for each in operation.said.get("parameters", ())
        if each["in"] == "query" and each.get("required")
    }
    found = {name: values.of(operation, name, schema) for name, schema in operation.names("query")}
    least = {name: found[name][0] for name in wanted}
    yield least
    for name, each in found.items():
        for value in each:
            yield least | {name: value}


def _bodies(
    operation: Operation, values: Values
) -> Iterator[tuple[object, Mapping[str, Any] | None]]:
    """Yield bodies, as JSON or as the fields of a form."""
    schema, form = operation.schema("application/json"), operation.schema(MULTIPART)
    if schema is None and form is None:
        yield None, None
    if schema is not None:
        for each in _objects(operation, schema, values):
            yield each, None
    if form is not None:
        for each in _objects(operation, form, values):
            yield None, {name: value for name, value in each.items() if value is not None}


def _objects(
    operation: Operation, schema: Mapping[str, Any], values: Values
) -> Iterator[dict[str, Any]]:
    found = {
        name: values.of(operation, name, each)
        for name, each in schema.get("properties", {}).items()
    }
    wanted = [name for name in schema.get("required", ()) if name in found]
    optional = [name for name in found if name not in wanted]
    pairs = list(combinations(optional, 2)) if len(optional) <= MOST_OPTIONAL else []
    chosen = [(), *((name,) for name in optional), *pairs]
    for number, more in enumerate(chosen):
        most = 1 if len(more) > 1 else max((len(found[name]) for name in more or wanted), default=1)
        for turn in range(number, number + most):
            yield {name: found[name][turn % len(found[name])] for name in (*wanted, *more)}


def shown(answer: TestResponse) -> str:
    """Return everything that an answer tells: status, headers, body, and what is packed in it."""
    data = answer.get_data()
    text = data.decode("utf-8", "replace")
    with suppress(ValueError):
        text += json.dumps(json.loads(text), ensure_ascii=False)
    for line in text.splitlines():
        if line.startswith("data: "):
            with suppress(ValueError):
                text += json.dumps(json.loads(line[6:]), ensure_ascii=False)
    if data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            text += "".join(
                f"{name} {archive.read(name).decode('utf-8', 'replace')}"
                for name in archive.namelist()
            )
    headers = "".join(f"{name}: {unquote(value)}\n" for name, value in answer.headers)
    return f"{answer.status}\n{headers}\n{text}".casefold()


def given_away(request: Request, told: str, things: Collection[Thing]) -> list[str]:
    """Return what an answer tells of these things without having been told it."""
    sent = request.sent
    words = [word for each in things for word in (each.name, each.fact, *each.ids)]
    return [word for word in words if word.casefold() in told and word.casefold() not in sent]
