// attune/compile/nest/detail/device_scope.hpp - indices, extents and elements of a program in CUDA text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/device_values.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/device_program.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The facts that hold at one place of a kernel's text.
struct device_scope {
    explicit device_scope(device_program const& of)
        : program(of)
        , nest(of.nest)
        , axis(of.nest.axes.size())
    {
    }

    device_program const& program;
    nest_description const& nest;
    device_lines text{};
    std::vector<std::string> axis;                  ///< text of each axis' value, where it has one
    std::map<std::uint32_t, std::string> word_of{}; ///< arrays that are a variable here
    /// Temporaries in shared memory: the name, and the dimensions that are in it.
    std::map<std::uint32_t, std::pair<std::string, std::vector<std::size_t>>> shared{};

    [[nodiscard]] std::string extent(nest_extent const& e) const
    {
        return e.input == no_index ? std::to_string(e.constant)
                                   : "static_cast<index_>(" + nest.inputs[e.input].name + ')';
    }
    /// "E0 * E1", the steps of a group of axes.
    [[nodiscard]] std::string steps(std::vector<std::uint32_t> const& axes) const
    {
        std::string out = "static_cast<index_>(1)";
        for (std::uint32_t const a : axes)
            out += " * " + extent(nest.axes[a].extent);
        return out;
    }
    [[nodiscard]] std::string index(affine_index const& of) const
    {
        std::string out;
        for (affine_term const& term : of.terms)
            out += (out.empty() ? "" : " + ") +
                   (term.factor == 1 ? axis[term.axis]
                                     : std::to_string(term.factor) + " * " + axis[term.axis]);
        if (of.offset != 0 || out.empty())
            out += (out.empty() ? "" : " + ") + std::to_string(of.offset);
        return out;
    }
    /// The position of an element among dimensions of its array.
    [[nodiscard]] std::string position(nest_access const& access,
                                       std::vector<std::size_t> const& dimensions) const
    {
        std::string out = "0";
        for (std::size_t const d : dimensions) {
            std::string const one = '(' + index(access.at[d]) + ')';
            out = out == "0" ? one
                             : '(' + out + " * " + extent(nest.arrays[access.array].extents[d]) +
                                   " + " + one + ')';
        }
        return out;
    }
    [[nodiscard]] std::string position(nest_access const& access) const
    {
        std::vector<std::size_t> all;
        for (std::size_t d = 0; d < access.at.size(); ++d)
            all.push_back(d);
        return position(access, all);
    }
    /// Whether a padded access is inside of its array; empty: it always is.
    [[nodiscard]] std::string guard(nest_access const& access) const
    {
        std::string out;
        if (!access.is_padded) return out;
        for (std::size_t d = 0; d < access.at.size(); ++d) {
            std::string const at = index(access.at[d]);
            out += (out.empty() ? "" : " && ") + ("0 <= " + at) + " && " + at + " < " +
                   extent(nest.arrays[access.array].extents[d]);
        }
        return out;
    }
    /// The element itself, where it can be stored.
    [[nodiscard]] std::string element(nest_access const& access) const
    {
        auto const found = shared.find(access.array);
        if (found != shared.end())
            return found->second.first + '[' + position(access, found->second.second) + ']';
        return nest.arrays[access.array].name + '[' + position(access) + ']';
    }
    /// The element's value, 0 outside.
    [[nodiscard]] std::string read(std::uint32_t a) const
    {
        nest_access const& access = nest.accesses[a];
        if (auto const word = word_of.find(access.array); word != word_of.end())
            return word->second;
        std::string const inside = guard(access);
        if (inside.empty()) return element(access);
        return '(' + inside + " ? " + element(access) + " : " + "static_cast<" +
               std::string(device_name(nest.arrays[access.array].element)) + ">(0))";
    }
    /// Names the axes of a group, of which `at` is the number counted through.
    void take_apart(std::vector<std::uint32_t> const& axes, std::string const& at)
    {
        if (axes.size() == 1) {
            axis[axes.front()] = at;
            return;
        }
        std::string rest = at;
        for (std::size_t i = axes.size(); i-- > 0;) {
            std::string const name = "x" + std::to_string(axes[i]) + '_';
            std::string const steps_here = extent(nest.axes[axes[i]].extent);
            text.line("index_ const " + name + " = " +
                      (i == 0 ? rest : '(' + rest + ") % " + steps_here) + ';');
            rest = '(' + rest + ") / " + steps_here;
            axis[axes[i]] = name;
        }
    }
    /// A word with the value of a statement, of `type`.
    [[nodiscard]] std::string value(nest_statement const& s, element_type type,
                                    std::string const& name)
    {
        device_value_writer writer(nest, text, axis, [this](std::uint32_t a) { return read(a); });
        return writer.value(s.value, type, name);
    }
    [[nodiscard]] element_type element_of(nest_statement const& s) const
    {
        return nest.arrays[s.target.array].element;
    }
    [[nodiscard]] bool is_temporary(nest_statement const& s) const
    {
        return nest.arrays[s.target.array].role == nest_role::temporary;
    }
    /// The value of a statement without reduction axes, with what its target holds, as its element
    /// type has it.
    [[nodiscard]] std::string single_value(nest_statement const& s, std::string const& name)
    {
        element_type const type = element_of(s);
        if (!s.continues) return value(s, type, name);
        std::string const added = value(s, s.accumulator, name + "added_");
        std::string const old = name + "old_";
        text.line(std::string(cpp_name(s.accumulator)) + " const " + old + " = " +
                  device_converted(element(s.target), type, s.accumulator) + ';');
        text.line(std::string(device_name(type)) + " const " + name + " = " +
                  device_converted(device_combined(s.combine, old, added, s.accumulator),
                                   s.accumulator, type) +
                  ';');
        return name;
    }
};

} // namespace attune::inline ATTUNE_ABI::detail
