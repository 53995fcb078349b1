"""Four raw tables, made up from hashes of row numbers, and batches of changes to them.

Orders are loaded again when they change, as a source that sends whole rows does, so the newest row
of an id counts. Customers have a row for each span of days. Nothing is random: every run has the
same rows.

Orders that change, and payments that go, are among the newest tenth: few orders change months after
they were made. With HEADWATER_BENCH_SPREAD they are among all, so that every change is spread over
all of a table.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import headwater

BATCHES = 3
SHARE = 0.01
"""Of the orders, in each batch: nine tenths of it come, the rest is updated or goes."""
_DAYS = 365
_LOADED_AGAIN = 10
"""Of a hundred loaded orders, so many are new rows of old ones."""
_NEWEST = 1 if os.environ.get("HEADWATER_BENCH_SPREAD") else 10
"""One order in so many may still change: the newest ones."""


@dataclass(frozen=True, slots=True)
class RawTables:
    """The raw tables of a lake; there are `orders` rows in the largest."""

    connection: headwater.Connection
    orders: int

    @property
    def _customers(self) -> int:
        return max(10, self.orders // 50)

    @property
    def _products(self) -> int:
        return max(10, self.orders // 500)

    @property
    def _batch(self) -> int:
        return max(10, int(self.orders * SHARE))

    @property
    def _changing(self) -> int:
        """How many orders may still change."""
        return max(10, self.orders // _NEWEST)

    def create(self) -> None:
        """The tables with their first rows."""
        sql = self.connection.sql
        sql(f"CREATE TABLE raw_customers AS {self._customer_rows()}")
        sql(f"CREATE TABLE raw_products AS {self._product_rows(0, self._products)}")
        sql(f"CREATE TABLE raw_orders AS {self._order_rows(0, self.orders)}")
        sql(f"CREATE TABLE raw_payments AS {self._payment_rows(0, self.orders)}")

    def change(self, batch: int) -> None:
        """The changes of a batch, counted from 0: rows come, some are updated, a few go."""
        sql, size = self.connection.sql, self._batch
        came = size * 9 // 10
        first = self.orders + batch * came
        sql(f"INSERT INTO raw_orders {self._order_rows(first, first + came)}")
        sql(f"INSERT INTO raw_payments {self._payment_rows(first, first + came)}")
        slices = max(1, self._changing // max(1, size // 15))
        oldest = first - self._changing
        sql(
            "UPDATE raw_orders SET status = 'changed', loaded = loaded + 1"
            f" WHERE id >= {oldest} AND pmod(hash(id, 1), {slices}) = {batch}"
        )
        sql(
            f"DELETE FROM raw_orders WHERE id >= {oldest}"
            f" AND pmod(hash(id, 2), {slices * 2}) = {batch}"
        )
        sql(
            f"DELETE FROM raw_payments WHERE order_id >= {oldest}"
            f" AND pmod(hash(order_id, 3), {slices * 2}) = {batch}"
        )
        new = max(1, self._products // 100)
        start = self._products + batch * new
        sql(f"INSERT INTO raw_products {self._product_rows(start, start + new)}")
        sql(f"UPDATE raw_customers SET tier = 'gold' WHERE pmod(hash(id), 500) = {batch}")

    def _order_rows(self, first: int, last: int) -> str:
        """A row of a new order, or a newer row of one that is there."""
        again = f"pmod(hash(id, 10), 100) < {_LOADED_AGAIN}"
        before = f"least(greatest(id, 1), {self._changing})"
        key = f"IF({again}, id - pmod(hash(id, 11), {before}), id)"
        return (
            f"SELECT {key} AS id, {_upto('id, 12', self._customers)} AS customer,"
            f" {_upto('id, 13', self._products + self._products // 50)} AS product,"
            f" {_upto('id, 14', 10)} + 1 AS quantity, {_day('id, 15')} AS day,"
            " element_at(array('open', 'sent', 'done'), CAST(id % 3 + 1 AS INT)) AS status,"
            f" id * 10 AS loaded FROM range({first}, {last})"
        )

    def _payment_rows(self, first: int, last: int) -> str:
        return (
            f"SELECT id AS order_id, CAST({_upto('id, 20', 10000)} AS DECIMAL(10, 2)) AS amount,"
            " IF(id % 5 = 0, NULL, concat('method ', id % 4)) AS method,"
            f" {_day('id, 21')} AS day FROM range({first}, {last}) WHERE pmod(hash(id, 22), 10) < 6"
        )

    def _product_rows(self, first: int, last: int) -> str:
        """A product, or behind the last one a newer row of one that is there."""
        return (
            f"SELECT id % {self._products} AS id, concat(' product ', id % {self._products})"
            f" AS name, concat('Category ', id % {self._products} % 20) AS category,"
            f" CAST({_upto('id, 30', 1000)} AS DECIMAL(10, 2)) / 10 AS price, id AS loaded"
            f" FROM range({first}, {last})"
        )

    def _customer_rows(self) -> str:
        """Two spans of days for each customer, without a gap and without an overlap."""
        start, middle, end = "DATE'2026-01-01'", "DATE'2026-06-30'", "DATE'9999-12-31'"
        return (
            f"SELECT id DIV 2 AS id, concat(' name ', id DIV 2) AS name,"
            f" concat('city ', {_upto('id, 40', 100)}) AS city,"
            " element_at(array('basic', 'plus', 'gold'), CAST(id % 3 + 1 AS INT)) AS tier,"
            f" IF(id % 2 = 0, {start}, date_add({middle}, 1)) AS valid_from,"
            f" IF(id % 2 = 0, {middle}, {end}) AS valid_to FROM range({self._customers * 2})"
        )


def _upto(hashed: str, number: int) -> str:
    return f"CAST(pmod(hash({hashed}), {number}) AS BIGINT)"


def _day(hashed: str) -> str:
    return f"date_add(DATE'2026-01-01', CAST(pmod(hash({hashed}), {_DAYS}) AS INT))"
