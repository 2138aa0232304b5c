// attune/declare/description.hpp - the one run-time form of a declared space.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/enum_table.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/kinds.hpp>
#include <attune/declare/point.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Numbers of a program that need no compilation. values: rows x width, row-major; rows are the
/// places where the program stores, columns are features.
struct program_rows {
    std::vector<double> values;
    std::size_t width = 0;

    [[nodiscard]] std::size_t count() const noexcept
    {
        return width == 0 ? 0 : values.size() / width;
    }
    /// @pre  at < count()
    [[nodiscard]] std::span<double const> row(std::size_t at) const noexcept
    {
        return std::span<double const>(values).subspan(at * width, width);
    }
    [[nodiscard]] friend bool operator==(program_rows const&, program_rows const&) = default;
};

/// A number inside an expression: a 64-bit integer (booleans are 0 and 1) or a double.
struct number {
    bool is_real = false;
    std::int64_t integer = 0;
    double real = 0;

    [[nodiscard]] static constexpr number of(std::int64_t v) noexcept { return {false, v, 0}; }
    [[nodiscard]] static constexpr number of(double v) noexcept { return {true, 0, v}; }
    [[nodiscard]] constexpr double as_real() const noexcept
    {
        return is_real ? real : static_cast<double>(integer);
    }
    /// Same kind and same value. A NaN equals each NaN, so that a search finds a key with a NaN.
    [[nodiscard]] friend constexpr bool operator==(number const& a, number const& b) noexcept
    {
        bool const both_nan = a.real != a.real && b.real != b.real;
        return a.is_real == b.is_real && a.integer == b.integer && (a.real == b.real || both_nan);
    }
};

/// The user's prior over the values of a parameter.
struct prior_description {
    std::vector<double> weights; ///< one weight > 0 per value of the table; or none
    double centre = 0;    ///< without weights: mean of a normal density on the parameter's scale
    double deviation = 0; ///< standard deviation of that density; 0: no prior
};

/// The rule that makes a table from the values of inputs.
struct table_rule {
    progression steps = progression::linear;
    std::int64_t first = 0;
    std::int64_t step = 1;
    std::uint32_t bound_node =
        no_index; ///< expression over inputs: last value, or extent of a tile
};

/// The condition of a parameter: active_if(). If it is false, the value of the parameter has no
/// effect.
struct activity_description {
    std::uint32_t root = no_index; ///< node of the condition; no_index: always active
    std::string text;              ///< as the user would write it: "DESIGN == \"packed\""
    // Made by settle_conditions() (activity.hpp):
    std::uint32_t counts = no_index; ///< node: active parameters alone decide that it holds
    coordinate otherwise{};          ///< the one value while the parameter is inactive
};

/// A parameter and its values. After bind_inputs(), the table is complete:
/// - real: `low`, `high`;  boolean: nothing, or its only value in `integers`;  permutation: `parts`
/// items, in lexicographic order
/// - tile: `integers`, `parts` factors per value, ascending lexicographically
/// - a linear range of more than max_table_values numbers has no table: `range_count` values, the
///   first one and the step in `rule`
/// - other kinds: exactly one of `integers`, `reals`, `labels`, in the order of declaration
struct parameter_description {
    std::string name;
    parameter_kind kind{};
    value_kind type{}; ///< kind of a value; `list` for permutations and tiles
    scale on = scale::linear;
    std::vector<std::int64_t> integers;
    std::vector<double> reals;
    std::vector<std::string> labels;
    double low = 0;
    double high = 0;
    std::uint32_t parts = 0;
    std::uint32_t range_count = 0; ///< number of values of a range without a table; else 0
    order_distance metric = order_distance::spearman; ///< between values of a permutation
    table_rule rule;
    std::optional<std::string> default_text; ///< as table.hpp writes the value
    parameter_role role = parameter_role::macro;
    bool is_own_name = false; ///< a macro: the kernel file declares this name itself
    prior_description prior;
    activity_description active;
    bool is_location = false; ///< its values are places in the program where a part of it is
                              ///< computed; a search over scores decides it in a separate phase

    [[nodiscard]] bool is_conditional() const noexcept { return active.root != no_index; }
    [[nodiscard]] detail::kind_traits const& traits() const noexcept
    {
        return detail::traits_of(kind);
    }
    /// Number of values; 0 for a real parameter, and 0 before bind_inputs().
    [[nodiscard]] std::uint32_t value_count() const noexcept
    {
        if (traits().is_truth) return integers.empty() ? 2 : 1;
        if (traits().is_order) {
            std::uint32_t orders = 1;
            for (std::uint32_t i = 2; i <= parts; ++i)
                orders *= i;
            return orders;
        }
        if (range_count > 0) return range_count;
        std::size_t const listed = integers.size() + reals.size() + labels.size();
        return static_cast<std::uint32_t>(traits().is_list ? listed / parts : listed);
    }
    /// The whole number at `index`, from the table or the range.
    [[nodiscard]] std::int64_t integer_at(std::uint32_t index) const noexcept
    {
        if (range_count == 0) return integers[index];
        // Unsigned, because the distance to the first value may exceed int64_t.
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(rule.first) +
                                         static_cast<std::uint64_t>(rule.step) * index);
    }
};

/// Parameters that the user sees as one value with one name: see array_of(), permutation().
enum class group_kind : std::uint8_t {
    array,       ///< the elements, in order
    permutation, ///< the digits of the order in the factorial number system: group.hpp
};

namespace detail {

/// Properties of one kind of group.
struct group_traits {
    group_kind of{};
    bool is_order = false; ///< the value is an order of its items, else the list of its elements
    std::uint32_t implied = 0; ///< parts of the value that follow from the others
};

inline constexpr enum_table<group_traits, group_kind::permutation> traits_of_groups{{
    {.of = group_kind::array},
    {.of = group_kind::permutation, .is_order = true, .implied = 1}, // its last digit is 0
}};

} // namespace detail

/// `count` parameters from `first` on. Each is an ordinary parameter, so spaces, samples and
/// searches need no rule for groups. Functions that show or store values read a group as one value:
/// group.hpp.
struct group_description {
    std::string name;
    group_kind kind{};
    std::uint32_t first = 0;
    std::uint32_t count = 0;

    [[nodiscard]] detail::group_traits const& traits() const noexcept
    {
        return detail::traits_of_groups[kind];
    }
    /// Number of values in the list that the user sees.
    [[nodiscard]] std::uint32_t parts() const noexcept { return count + traits().implied; }
};

/// Parameters that choose an algorithm by size: see selector(). From `first` on: the number of
/// ranges; `ranges - 1` cut-offs; `ranges` algorithms; then `ranges` values for each parameter of
/// the algorithms. The search changes single ones, or several together by operators for selectors.
struct selector_description {
    std::uint32_t first = 0;
    std::uint32_t ranges = 0;     ///< the most ranges, >= 2
    std::uint32_t parameters = 0; ///< number of parameters of all algorithms

    [[nodiscard]] std::uint32_t count() const noexcept { return (parameters + 2) * ranges; }
    [[nodiscard]] std::uint32_t cut(std::uint32_t i) const noexcept { return first + 1 + i; }
    [[nodiscard]] std::uint32_t algorithm(std::uint32_t range) const noexcept
    {
        return first + ranges + range;
    }
    /// @param which  number of a parameter of the algorithms, below `parameters`
    [[nodiscard]] std::uint32_t parameter(std::uint32_t which, std::uint32_t range) const noexcept
    {
        return first + (which + 2) * ranges + range;
    }
};

/// A value given before the space is built, such as a problem size or a device limit.
struct input_description {
    std::string name;
    value_kind type{};
    std::optional<number> value; ///< set by bind_inputs()
};

/// An operation. Operands are indices of earlier nodes, so the table is in evaluation order.
struct expression_node {
    op code{};
    std::uint32_t first = no_index;
    std::uint32_t second = no_index;
    std::uint32_t third = no_index;
    std::uint32_t subject = no_index; ///< the parameter or input that a leaf reads
    std::int64_t integer = 0;         ///< a literal, or the place of an element
    double real = 0;                  ///< a literal; for `select`, not 0 when its value is real
    std::uint32_t text = no_index;    ///< index into `texts`

    [[nodiscard]] friend bool operator==(expression_node const&, expression_node const&) = default;
};

/// Name of the expression at `root` in explanations, instead of its formula: "weights of vgg16".
struct named_node {
    std::uint32_t root = no_index;
    std::string name;
};

struct description;

/// A condition that the user gives as a function. The description is an argument, so that the
/// predicate of a copied description reads the tables of the copy. `at` has one coordinate per
/// entry of the constraint's scope.
using opaque_predicate = std::function<bool(description const&, std::span<coordinate const> at)>;

/// A condition on the space.
struct constraint_description {
    std::uint32_t root = no_index;    ///< node of the expression; no_index when opaque
    std::vector<std::uint32_t> scope; ///< parameters that it reads: ascending and unique for an
                                      ///< expression, in call order for an opaque predicate
    opaque_predicate test;            ///< empty for an expression
    std::string text;                 ///< as the user would write it: "4 * TILE_M <= 32768"
    std::uint32_t settles = no_index; ///< the parameter whose value it fixes while the parameter is
                                      ///< inactive; no_index for a constraint of the user
    std::string advice = {};          ///< what to do if no configuration is valid; empty: loosen it
};

/// A number that the user expects to explain the objective better than the parameters alone.
struct feature_description {
    std::uint32_t root = no_index; ///< node of the expression
    std::string text;              ///< as the user would write it: "TILE_M * TILE_N"
};

/// A whole space: the output of lower() and of the file readers, the input of every later stage.
struct description {
    std::vector<parameter_description> parameters;
    std::vector<group_description> groups;       ///< ascending by `first`; disjoint
    std::vector<selector_description> selectors; ///< ascending by `first`; disjoint
    std::vector<input_description> inputs;
    std::vector<expression_node> nodes;
    std::vector<std::string> texts;
    std::vector<constraint_description> constraints;
    std::vector<feature_description> features;
    std::vector<named_node> names; ///< of expressions too long to read; at most one per node
    /// Names of numbers that are known after a configuration is compiled, such as the registers of
    /// its code. A searcher that gets the numbers uses them as features.
    std::vector<std::string> code_metrics;
    /// The expected time of a configuration, in seconds or in any other unit; `at` has one
    /// coordinate per parameter. Empty: no expectation. Searches begin with short expected times,
    /// and weigh the expectation by how well it agrees with outcomes.
    std::function<double(std::span<coordinate const> at)> expected;
    /// Numbers of the program that a configuration describes, for models of many programs: see
    /// space/schedule/program_features.hpp. Empty: no numbers. `in` is this description, with bound
    /// inputs; `at` has one coordinate per parameter. All programs have rows of equal width.
    /// Several threads may call it at once.
    /// Errors   attune::error: the configuration describes no program
    std::function<program_rows(description const& in, std::span<coordinate const> at)> rows;
    /// A hash of the program that a configuration describes. Equal programs have equal hashes;
    /// different programs have equal hashes only by chance. Searches over scores measure no program
    /// twice. Empty: for these searches, configurations with equal `rows` are the same program.
    /// Arguments and errors are those of `rows`.
    std::function<std::uint64_t(description const& in, std::span<coordinate const> at)> structure{};
    /// The name of each column of `rows`; columns with equal names of two programs mean the same.
    /// Empty: the columns have no names, and no file keeps the rows.
    std::vector<std::string> row_names{};

    /// Index of the parameter called `name`, or no_index.
    [[nodiscard]] std::uint32_t find_parameter(std::string_view name) const noexcept
    {
        for (std::uint32_t i = 0; i < parameters.size(); ++i)
            if (parameters[i].name == name) return i;
        return no_index;
    }
    /// Index of the group called `name`, or no_index.
    [[nodiscard]] std::uint32_t find_group(std::string_view name) const noexcept
    {
        for (std::uint32_t i = 0; i < groups.size(); ++i)
            if (groups[i].name == name) return i;
        return no_index;
    }
    /// The group of `parameter`; nullptr if it is in none.
    [[nodiscard]] group_description const* group_of(std::uint32_t parameter) const noexcept
    {
        for (group_description const& g : groups)
            if (parameter - g.first < g.count) return &g; // unsigned: false before the first
        return nullptr;
    }
    /// The selector whose first parameter is `parameter`; nullptr if there is none.
    [[nodiscard]] selector_description const* selector_at(std::uint32_t parameter) const noexcept
    {
        for (selector_description const& s : selectors)
            if (s.first == parameter) return &s;
        return nullptr;
    }
    /// Index of the input called `name`, or no_index.
    [[nodiscard]] std::uint32_t find_input(std::string_view name) const noexcept
    {
        for (std::uint32_t i = 0; i < inputs.size(); ++i)
            if (inputs[i].name == name) return i;
        return no_index;
    }
};

} // namespace attune::inline ATTUNE_ABI
