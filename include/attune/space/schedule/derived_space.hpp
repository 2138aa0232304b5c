// attune/space/schedule/derived_space.hpp - the space of a program's schedules: rules, their parameters, and the program of each point.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/machine_figures.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/nest/loop_program.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/schedule/trace.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Builds the description of a space whose parameters are only known at run time. Formulas are
/// nodes of the description.
class space_builder {
public:
    /// Adds a parameter of numbers in ascending order.
    void ordinal(std::string name, std::vector<std::int64_t> values, std::int64_t preferred);
    /// Adds a parameter of words without order.
    void categorical(std::string name, std::vector<std::string> labels,
                     std::string const& preferred);
    /// Adds a parameter whose values are all ordered products of `parts` factors that are `extent`.
    void tile(std::string name, std::int64_t extent, std::uint32_t parts);

    [[nodiscard]] std::uint32_t number(std::int64_t value);
    [[nodiscard]] std::uint32_t real(double value);
    /// The node of an input, a whole number that the caller gives.
    [[nodiscard]] std::uint32_t input(std::string const& name);
    /// The node of a parameter's value; for a tile, of the factor at `place`.
    [[nodiscard]] std::uint32_t value(std::string const& parameter);
    [[nodiscard]] std::uint32_t factor(std::string const& tile, std::int64_t place);
    /// The node of the truth that a categorical parameter has this value.
    [[nodiscard]] std::uint32_t is(std::string const& parameter, std::string const& label);
    /// The node of a word, for comparisons with a categorical parameter.
    [[nodiscard]] std::uint32_t word(std::string const& label);
    [[nodiscard]] std::uint32_t node(op code, std::uint32_t first, std::uint32_t second);

    /// Makes the parameter active only if this truth holds; else it has its default.
    void active_if(std::string const& parameter, std::uint32_t root);
    /// Marks the values of the parameter as places where a part of the program is computed: see
    /// parameter_description::is_location.
    void location(std::string const& parameter);
    /// Adds a constraint: a truth of every configuration.
    /// @param text    text of the constraint; empty: its formula
    /// @param advice  see constraint_description::advice
    void where(std::uint32_t root, std::string text = {}, std::string advice = {});
    void feature(std::uint32_t root);
    /// Adds the expected seconds of a part of the program to those of other parts, see
    /// description::expected.
    /// @param seconds  reads one coordinate per parameter
    void expect(std::function<double(std::span<coordinate const>)> seconds);

    /// The index of a parameter.
    /// Errors   attune::error: no such parameter
    [[nodiscard]] std::uint32_t parameter(std::string const& name) const;

    /// The description. Its tables are bound unless it has inputs.
    [[nodiscard]] description made() const;

private:
    description space_;
};

/// The values of one configuration, as text_of() writes them.
struct schedule_choices {
    struct choice {
        std::string name;
        std::string value;
    };
    std::vector<choice> all;

    /// The text of a parameter's value; null if no parameter has this name.
    [[nodiscard]] std::string const* find(std::string_view name) const noexcept;
    /// Errors   attune::error: no parameter has this name, or its value is no whole number
    [[nodiscard]] std::string const& text(std::string_view name) const;
    [[nodiscard]] std::int64_t number(std::string_view name) const;
};

/// The values of a point, one coordinate per parameter of `space`.
[[nodiscard]] schedule_choices choices_of(description const& space, std::span<coordinate const> at);

/// The statements that a rule schedules together, in order. All but the last compute temporaries
/// that only these statements read.
struct rule_subject {
    nest_description const* nest = nullptr;
    std::vector<std::uint32_t> statements;
    processor_shape processor;
    std::string prefix; ///< of parameter names; empty if the program is one group
    /// The program without slices, for the sizes of whole arrays; null: `nest`.
    nest_description const* whole = nullptr;
};

/// A way to schedule. Rules of the user come before the default ones.
struct schedule_rule {
    std::string name;
    std::function<bool(rule_subject const&)> applies;
    /// Declares the parameters, constraints and features of the subject.
    std::function<void(rule_subject const&, space_builder&)> declare;
    /// Applies the steps of one configuration. Blocks have the numbers of their statements.
    std::function<void(rule_subject const&, schedule_choices const&, traced_program&)> schedule;
};

/// The default rules: products (register tiles, packing, cache tiles), rows (statements that share
/// their outer loops), single statements. The first rule that applies schedules a group.
[[nodiscard]] std::vector<schedule_rule> default_schedule_rules();

/// The space that rules derive from a program; each configuration has steps that make its program.
///
/// - A statement that reads a cheap temporary computes it.
/// - Statements that pass temporaries to each other form one group. The first rule that applies
///   schedules the group. If no rule applies, each product is a group, with a statement that reads
///   it element by element, and the statements between products are rows: see
///   detail/row_rule.hpp.
/// - With several groups, parameter names begin with the name of the array: C_ROWS. The parameter
///   SLICES then decides which axes are outside all groups, so that the temporaries between the
///   groups fit into a cache. "h_i64" computes 64 values of i for one value of h after the other. A
///   block of 16 to 256 values divides the extent, which is a number.
class derived_space {
public:
    /// Errors   attune::error: no rule applies to a statement
    explicit derived_space(nest_description nest,
                           processor_shape const& processor = this_processor(),
                           std::vector<schedule_rule> const& rules = default_schedule_rules());

    /// The space; it has no inputs, so it is bound.
    [[nodiscard]] description const& describe() const noexcept { return space_; }

    /// The steps and the program of one configuration.
    /// Errors   attune::error: a missing value, or a refused step
    [[nodiscard]] traced_program schedule(schedule_choices const& chosen) const;
    [[nodiscard]] traced_program schedule(point const& at) const;

    /// A sentence about one statement and its share of the operations. It is the statement with the
    /// most operations among those that the rules schedule without lanes, else among all.
    [[nodiscard]] std::string least_covered() const;

    /// The names of the rules, in the order of the groups.
    [[nodiscard]] std::vector<std::string> rule_names() const;

private:
    struct group {
        rule_subject subject;
        schedule_rule rule;
    };

    /// A way to slice the program: a value of the parameter SLICES.
    struct slicing {
        std::string label;
        std::vector<std::pair<std::uint32_t, std::int64_t>> axes; ///< with steps, outermost first
    };

    void add_slicings(processor_shape const& processor);
    [[nodiscard]] traced_program sliced(slicing const& by) const;

    nest_description nest_;
    traced_program start_; ///< with statements inlined
    std::vector<group> groups_;
    std::vector<slicing> slicings_; ///< empty, or none first
    std::size_t usual_slicing_ = 0;
    description space_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/derived_space.ipp>
#endif
