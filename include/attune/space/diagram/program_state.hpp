// attune/space/diagram/program_state.hpp - the values of a constraint program while levels are set.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/diagram/constraint_program.hpp>
#include <attune/space/diagram/diagram.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The values of the steps of one program for the levels set so far.
class program_state {
public:
    /// The references must outlive this object.
    program_state(description const& space, constraint_program& program, point base)
        : space_(space)
        , program_(program)
        , slots_(program.slots())
        , at_(std::move(base))
        , now_(slots_.size(), 0)
        , now_failed_(slots_.size(), 0)
        , ahead_(slots_.size())
    {
        for (std::uint32_t s = 0; s < slots_.size(); ++s) {
            ahead_[s] = slots_[s].about;
            if (slots_[s].level != constant_level) continue;
            now_[s] = slots_[s].bits[0];
            now_failed_[s] = slots_[s].failed[0];
        }
    }

    /// Whether the conditions that read no level hold.
    [[nodiscard]] bool constants_hold() const
    {
        for (std::uint32_t const r : program_.roots())
            if (slots_[r].level == constant_level && !slots_[r].about.is_true()) return false;
        for (called_condition const& c : program_.calls())
            if (c.level == constant_level && !holds(space_, *c.tested, at_)) return false;
        return true;
    }
    /// The present value of a step.
    [[nodiscard]] std::int64_t now(std::uint32_t s) const noexcept { return now_[s]; }
    [[nodiscard]] bool has_failed(std::uint32_t s) const noexcept { return now_failed_[s] != 0; }

    /// Computes the columns of level `l` from the levels above.
    void compute(std::size_t l)
    {
        for (std::uint32_t const s : program_.levels()[l].computed) {
            slot& step = slots_.at(s);
            int const own = step.level;
            fill_column(step.code, view(step.operands[0], own), view(step.operands[1], own),
                        view(step.operands[2], own), step.real, step.about, step.bits.size(),
                        step.bits.data(), step.failed.data());
        }
    }

    /// Sets each of `children` to whether each condition that ends on level `l` holds for it.
    void test(std::size_t l, std::span<std::uint32_t> children)
    {
        std::fill(children.begin(), children.end(), always_node);
        for (std::uint32_t const r : program_.levels()[l].roots) {
            slot const& root = slots_[r];
            for (std::size_t v = 0; v < children.size(); ++v)
                children[v] &= static_cast<std::uint32_t>(root.bits[v] != 0);
            for (std::size_t v = 0; root.about.may_fail && v < children.size(); ++v)
                children[v] &= static_cast<std::uint32_t>(root.failed[v] == 0);
            for (std::size_t v = 0; root.real && v < children.size(); ++v) // -0.0 is false
                children[v] &= static_cast<std::uint32_t>(std::bit_cast<double>(root.bits[v]) != 0);
        }
        for (called_condition const& c : program_.calls())
            for (std::size_t v = 0; c.level == static_cast<int>(l) && v < children.size(); ++v)
                if (children[v] != never_node && !answer(c, v)) children[v] = never_node;
    }

    /// Takes value `v` of level `l`. @return whether lower levels need the same values as for v - 1
    bool take(std::size_t l, std::size_t v)
    {
        bool same = v > 0;
        for (std::uint32_t const s : program_.levels()[l].needed) {
            slot const& step = slots_[s];
            if (step.level != static_cast<int>(l)) continue;
            same = same && step.bits[v] == step.bits[v - 1] && step.failed[v] == step.failed[v - 1];
            now_[s] = step.bits[v];
            now_failed_[s] = step.failed[v];
        }
        return same;
    }

    /// The result of all conditions by bounds: never_node, always_node, or no_index if undecided.
    [[nodiscard]] std::uint32_t decide(std::size_t l)
    {
        program_level const& plan = program_.levels()[l];
        auto const about = [&](std::uint32_t s) -> outlook {
            slot const& step = slots_[s];
            if (step.level > static_cast<int>(l)) return step.is_known ? step.about : ahead_[s];
            if (step.level == constant_level) return step.about;
            if (now_failed_[s] != 0) return {{}, true, false};
            double const v =
                step.real ? std::bit_cast<double>(now_[s]) : static_cast<double>(now_[s]);
            return {settled(v, v, step.real), false, true};
        };
        for (std::uint32_t const s : plan.later)
            ahead_[s] = slots_.ahead(slots_[s], about);
        bool certain = true;
        for (std::uint32_t const r : program_.roots()) {
            if (slots_[r].level <= static_cast<int>(l)) continue;
            outlook const root = about(r);
            if (!root.may_be_true()) return never_node;
            certain = certain && root.is_true();
        }
        for (called_condition const& c : program_.calls())
            certain = certain && c.level <= static_cast<int>(l);
        return certain ? always_node : no_index;
    }

private:
    /// A step as an operand on level `l`: a column of it, or the present value of one above.
    [[nodiscard]] operand_view view(std::uint32_t s, int l) const noexcept
    {
        if (s == no_index) return {};
        slot const& step = slots_[s];
        bool const here = step.level == l;
        return {here ? step.bits.data() : &now_[s], here ? step.failed.data() : &now_failed_[s],
                here ? std::size_t{1} : std::size_t{0}, step.real, step.about};
    }

    /// Calls `c` with value `v` of its last level.
    [[nodiscard]] bool answer(called_condition const& c, std::size_t v)
    {
        for (auto const& [parameter, index] : c.arguments) {
            slot const& argument = slots_[index];
            std::int64_t const word = argument.level == c.level ? argument.bits[v] : now_[index];
            at_[parameter].index = static_cast<std::uint32_t>(word);
        }
        return holds(space_, *c.tested, at_);
    }

    description const& space_;
    constraint_program& program_;
    slot_table& slots_;
    point at_;
    std::vector<std::int64_t> now_;        // step -> its present value
    std::vector<std::uint8_t> now_failed_; // step -> it has no value at present
    std::vector<outlook> ahead_;           // step of a lower level -> its bounds
};

} // namespace attune::inline ATTUNE_ABI::detail
