// attune/space/schedule/space_builder.hpp - a description made at run time: parameters and formulas.
// SPDX-License-Identifier: MIT
// tested by space/schedule/derived_space.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Makes the description of a space whose parameters are known at run time only. Formulas are nodes
/// of the description.
class space_builder {
public:
    /// Numbers in ascending order.
    void ordinal(std::string name, std::vector<std::int64_t> values, std::int64_t preferred);
    /// Words without order.
    void categorical(std::string name, std::vector<std::string> labels,
                     std::string const& preferred);
    /// Every way to write `extent` as an ordered product of `parts` factors.
    void tile(std::string name, std::int64_t extent, std::uint32_t parts);

    [[nodiscard]] std::uint32_t number(std::int64_t value);
    [[nodiscard]] std::uint32_t real(double value);
    /// The value of a whole number that the caller gives.
    [[nodiscard]] std::uint32_t input(std::string const& name);
    /// The value of a parameter; of a tile the factor at `place`.
    [[nodiscard]] std::uint32_t value(std::string const& parameter);
    [[nodiscard]] std::uint32_t factor(std::string const& tile, std::int64_t place);
    /// Whether a categorical parameter has this value.
    [[nodiscard]] std::uint32_t is(std::string const& parameter, std::string const& label);
    /// A word, for comparisons with a categorical parameter.
    [[nodiscard]] std::uint32_t word(std::string const& label);
    [[nodiscard]] std::uint32_t node(op code, std::uint32_t first, std::uint32_t second);

    /// The parameter counts only where this truth holds; elsewhere it stands at its default.
    void active_if(std::string const& parameter, std::uint32_t root);
    /// The values of the parameter are places where a part of the program is computed: see
    /// parameter_description::is_location.
    void location(std::string const& parameter);
    /// A truth that every configuration has.
    /// @param text    what it says; empty: its formula
    /// @param advice  see constraint_description::advice
    void where(std::uint32_t root, std::string text = {}, std::string advice = {});
    void feature(std::uint32_t root);
    /// Seconds of a part of the program, by one coordinate per parameter: parts add up, see
    /// description::expected.
    void expect(std::function<double(std::span<coordinate const>)> seconds);

    /// The index of a parameter.
    /// Errors   attune::error: it is not declared
    [[nodiscard]] std::uint32_t parameter(std::string const& name) const;

    /// The description, its tables bound unless it has inputs.
    [[nodiscard]] description made() const;

private:
    description space_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/space_builder.ipp>
#endif
