"""The columns of all tables, and the base class of their tables: for the record and for the accounts.

The column types replace characters that a database cannot store, so that no writer has to.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from sqlalchemy import JSON, BigInteger, Column, Dialect, Double, Integer, MetaData, Table, Text
from sqlalchemy.types import TypeDecorator

from db.records import storable

_MOST_DIGITS: Final = 4000
"""Python refuses to read longer numbers."""
_Integer64 = BigInteger().with_variant(Integer, "sqlite")
"""64-bit integers. In SQLite a row id must be declared as INTEGER, not BIGINT."""


class StorableText(TypeDecorator[str]):
    """Text; `storable` is applied to each value written, and to each value that a query compares a column with."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return self.stored(value)

    @staticmethod
    def stored(value: str | None) -> str | None:
        """The text that is written."""
        return None if value is None else storable(value)


class _BigNumber(TypeDecorator[int]):
    """Whole numbers with any number of digits, as text; None is `unknown`."""

    impl = Text
    cache_ok = True

    def __init__(self, unknown: str | None) -> None:
        super().__init__()
        self.unknown = unknown

    def process_bind_param(self, value: int | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return self.unknown if value is None else str(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> int | None:  # noqa: ARG002
        is_whole = value is not None and value.isascii() and value.isdigit() and len(value) < _MOST_DIGITS
        return int(value) if is_whole else None  # type: ignore[arg-type]


class _StorableJson(TypeDecorator[dict[str, Any]]):
    """JSON; `storable` is applied to every string in it, keys included."""

    impl = JSON(none_as_null=True)
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:  # noqa: ARG002
        return _storable_document(value)


def _storable_document(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {_storable_document(key): _storable_document(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_storable_document(one) for one in value]
    return value


class Rows:
    """Base class of all tables: `Game.status` is a column of the table `game`, and in a statement `Game` is that table.

    It does what we need of SQLAlchemy's ORM, whose import takes a quarter of the time of a listing."""

    __table__: ClassVar[Table]
    _metadata: ClassVar[MetaData]
    _about: ClassVar[tuple[Any, ...]] = ()
    """Constraints and indexes."""

    def __init_subclass__(cls, *, metadata: MetaData | None = None, **options: Any) -> None:
        """With `metadata` the class is no table, but the base class of the tables there."""
        if metadata is not None:
            cls._metadata = metadata
            return
        columns = {name: value for name, value in vars(cls).items() if isinstance(value, Column)}
        for name, column in columns.items():
            column.name = column.key = name
        cls.__table__ = Table(cls.__name__.lower(), cls._metadata, *columns.values(), *cls._about, **options)

    @classmethod
    def __clause_element__(cls) -> Table:
        """What SQLAlchemy calls where a statement names the class."""
        return cls.__table__


def number(*about: Any, nullable: bool = False, **options: Any) -> Any:
    """A column of 64-bit integers; `about`: its foreign key."""
    return Column(_Integer64, *about, nullable=nullable, **options)


def text(*, nullable: bool = False, unique: bool | None = None, server_default: str | None = None) -> Any:
    """A column of texts. `server_default`: for a column that older databases do not have."""
    return Column(StorableText, nullable=nullable, unique=unique, server_default=server_default)


def big_number(*, nullable: bool = False) -> Any:
    """A column of whole numbers with any number of digits; None is allowed in any case."""
    return Column(_BigNumber(None if nullable else ""), nullable=nullable)


def real(*, nullable: bool = True) -> Any:
    """A column of floating-point numbers."""
    return Column(Double, nullable=nullable)


def json(*, nullable: bool = False) -> Any:
    """A column of JSON documents."""
    return Column(_StorableJson, nullable=nullable)
