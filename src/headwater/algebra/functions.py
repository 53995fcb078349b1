"""Which functions are aggregates and which make rows, by the names Spark knows them under."""

from __future__ import annotations

from sqlglot import exp

AGGREGATES = frozenset(
    """
    any any_value approx_count_distinct approx_percentile approx_top_k approx_top_k_accumulate
    approx_top_k_combine array_agg avg bit_and bit_or bit_xor bitmap_and_agg bitmap_construct_agg
    bitmap_or_agg bool_and bool_or collect_list collect_set corr count count_if count_min_sketch
    covar_pop covar_samp every first first_value grouping grouping_id histogram_numeric
    hll_sketch_agg hll_union_agg kll_merge_agg_bigint kll_merge_agg_double kll_merge_agg_float
    kll_sketch_agg_bigint kll_sketch_agg_double kll_sketch_agg_float kurtosis last last_value
    listagg max max_by mean measure median min min_by mode percentile percentile_approx
    percentile_cont percentile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope
    regr_sxx regr_sxy regr_syy schema_of_variant_agg skewness some std stddev stddev_pop stddev_samp
    string_agg sum theta_intersection_agg theta_sketch_agg theta_union_agg try_avg try_sum
    tuple_intersection_agg_double tuple_intersection_agg_integer tuple_sketch_agg_double
    tuple_sketch_agg_integer tuple_union_agg_double tuple_union_agg_integer var_pop var_samp
    variance
    """.split()
)

EMPTY_IS_ZERO = frozenset({"count", "count_if", "approx_count_distinct", "regr_count"})
"""Aggregates that give 0 for no rows."""

EMPTY_IS_ARRAY = frozenset({"collect_list", "collect_set", "array_agg"})
"""Aggregates that give an empty array for no rows."""

EMPTY_IS_NULL = frozenset(
    """
    any any_value avg bit_and bit_or bit_xor bool_and bool_or corr covar_pop covar_samp every first
    first_value kurtosis last last_value listagg max max_by mean median min min_by mode percentile
    percentile_approx percentile_cont percentile_disc regr_avgx regr_avgy regr_intercept regr_r2
    regr_slope regr_sxx regr_sxy regr_syy skewness some std stddev stddev_pop stddev_samp
    string_agg sum try_avg try_sum var_pop var_samp variance approx_percentile
    """.split()
)

GENERATORS = frozenset(
    """
    explode explode_outer posexplode posexplode_outer inline inline_outer stack json_tuple
    variant_explode variant_explode_outer
    """.split()
)

_CLASS_NAMES: dict[type[exp.Expr], str] = {
    exp.Sum: "sum",
    exp.Count: "count",
    exp.Min: "min",
    exp.Max: "max",
    exp.Avg: "avg",
    exp.CountIf: "count_if",
    exp.First: "first",
    exp.FirstValue: "first_value",
    exp.Last: "last",
    exp.LastValue: "last_value",
    exp.AnyValue: "any_value",
    exp.StddevPop: "stddev_pop",
    exp.StddevSamp: "stddev_samp",
    exp.VariancePop: "var_pop",
    exp.Variance: "var_samp",
    exp.LogicalAnd: "bool_and",
    exp.LogicalOr: "bool_or",
    exp.BitwiseAndAgg: "bit_and",
    exp.BitwiseOrAgg: "bit_or",
    exp.BitwiseXorAgg: "bit_xor",
}


def name_of(call: exp.Expr) -> str:
    """The name of a function as Spark knows it, in lower case; empty for what is no function."""
    if isinstance(call, exp.Anonymous):
        return call.name.lower()
    if type(call) in _CLASS_NAMES:
        return _CLASS_NAMES[type(call)]
    return call.sql_name().lower() if isinstance(call, exp.Func) else ""


def is_aggregate(node: exp.Expression) -> bool:
    """Whether a node is a whole aggregate call, with its FILTER and the like around it."""
    if isinstance(node, exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls):
        return is_aggregate(node.this)
    return name_of(node) in AGGREGATES


def function_of(call: exp.Expression) -> exp.Expression:
    """The function itself of a call with FILTER and the like around it."""
    while isinstance(call, exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls):
        call = call.this
    return call


def is_generator(node: exp.Expr) -> bool:
    """Whether a call makes rows."""
    return name_of(node) in GENERATORS


def is_query(node: object) -> bool:
    """Whether a node is a query of its own, with names of its own."""
    return isinstance(node, exp.Query)


def has_aggregate(node: exp.Expression) -> bool:
    """Whether an expression calls an aggregate, other than as a window function."""
    if is_query(node):
        return False
    if isinstance(node, exp.Window):
        function = function_of(node.this)
        inside = [*function.iter_expressions(), *_besides(node)]
        return any(has_aggregate(child) for child in inside)
    if is_aggregate(node):
        return True
    return any(has_aggregate(child) for child in node.iter_expressions())


def _besides(window: exp.Window) -> list[exp.Expression]:
    return [child for child in window.iter_expressions() if child is not window.this]
