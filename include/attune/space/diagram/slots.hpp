// attune/space/diagram/slots.hpp - the steps of expressions, each stored once and on a level.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/diagram/columns.hpp>
#include <attune/space/diagram/interval.hpp>
#include <attune/space/diagram/key_table.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The level of a step that reads no parameter.
inline constexpr int constant_level = -1;

/// One step: a constant, a parameter's column, or an operation on earlier steps.
struct slot {
    op code = op::parameter; ///< op::integer for a constant, op::parameter for a leaf column
    std::array<std::uint32_t, 3> operands{no_index, no_index, no_index};
    int level = constant_level; ///< level of the last parameter that it reads
    bool real = false;
    bool is_known = true; ///< reads at most one parameter: its column is complete
    outlook about;
    std::vector<std::int64_t> bits;   ///< its column; one word for a constant
    std::vector<std::uint8_t> failed; ///< as long as `bits`
};

/// Steps in an order of evaluation.
class slot_table {
public:
    /// @param sizes  number of values of each level's parameter
    explicit slot_table(std::vector<std::size_t> sizes)
        : sizes_(std::move(sizes))
    {
    }

    [[nodiscard]] std::size_t size() const noexcept { return slots_.size(); }
    [[nodiscard]] slot const& operator[](std::uint32_t i) const noexcept { return slots_[i]; }
    [[nodiscard]] slot& at(std::uint32_t i) noexcept { return slots_[i]; }
    [[nodiscard]] std::vector<std::size_t> const& sizes() const noexcept { return sizes_; }

    /// A constant; nothing: it has no value.
    std::uint32_t constant(std::optional<number> const& value)
    {
        bool const real = value && value->is_real;
        std::int64_t const bits = value ? word_of(*value) : 0;
        std::uint8_t const failed = value ? 0 : 1;
        std::uint32_t const known = find(op::integer, {}, bits, [&](slot const& s) {
            return s.code == op::integer && s.real == real && s.bits[0] == bits &&
                   s.failed[0] == failed;
        });
        if (known != no_index) return known;
        slot made;
        made.code = op::integer;
        made.real = real;
        made.bits = {bits};
        made.failed = {failed};
        return add(std::move(made));
    }

    /// The values of one parameter, one per value of its level.
    std::uint32_t leaf(int level, bool real, std::vector<std::int64_t> bits,
                       std::vector<std::uint8_t> failed)
    {
        slot made;
        made.level = level;
        made.real = real;
        made.bits = std::move(bits);
        made.failed = std::move(failed);
        return add(std::move(made));
    }

    /// `code` applied to earlier steps. @param real  the value is real
    std::uint32_t make(op code, bool real, std::array<std::uint32_t, 3> operands)
    {
        std::uint32_t const known = find(code, operands, 0, [&](slot const& s) {
            return s.code == code && s.operands == operands && s.real == real;
        });
        if (known != no_index) return known;
        slot made;
        made.code = code;
        made.real = real;
        made.operands = operands;
        for (std::uint32_t const o : operands) {
            if (o == no_index) continue;
            slot const& s = slots_[o];
            if (s.level != constant_level)
                made.is_known = made.is_known && s.is_known &&
                                (made.level == constant_level || made.level == s.level);
            made.level = std::max(made.level, s.level);
        }
        made.about = ahead(made);
        std::size_t const count = count_of(made);
        made.bits.assign(count, 0);
        made.failed.assign(count, 0);
        if (!made.is_known) {
            slots_.push_back(std::move(made));
            return static_cast<std::uint32_t>(slots_.size() - 1);
        }
        fill_column(code, view(operands[0]), view(operands[1]), view(operands[2]), real, made.about,
                    count, made.bits.data(), made.failed.data());
        return add(std::move(made));
    }
    std::uint32_t make(op code, bool real, std::uint32_t a, std::uint32_t b)
    {
        return make(code, real, {a, b, no_index});
    }

    /// A step as an operand: its column on its own level, one value for a constant.
    [[nodiscard]] operand_view view(std::uint32_t i) const noexcept
    {
        if (i == no_index) return {};
        slot const& s = slots_[i];
        return {s.bits.data(), s.failed.data(),
                s.level == constant_level ? std::size_t{0} : std::size_t{1}, s.real, s.about};
    }

    /// The outlook of `s` from `about(operand)`, the outlooks of its operands.
    template <class About>
    [[nodiscard]] outlook ahead(slot const& s, About const& about) const
    {
        outlook operands[3] = {};
        bool reals = false;
        for (std::size_t k = 0; k < 3; ++k) {
            if (s.operands[k] == no_index) continue;
            operands[k] = about(s.operands[k]);
            reals = reals || slots_[s.operands[k]].real;
        }
        return look_ahead(s.code, operands[0], operands[1], operands[2], s.real, reals);
    }
    [[nodiscard]] outlook ahead(slot const& s) const
    {
        return ahead(s, [this](std::uint32_t o) { return slots_[o].about; });
    }

private:
    /// The step of which `is_it`; no_index: none. In a long table by the code, operands and
    /// constant.
    template <class Is>
    [[nodiscard]] std::uint32_t find(op code, std::array<std::uint32_t, 3> const& operands,
                                     std::int64_t bits, Is const& is_it)
    {
        constexpr std::size_t longest_walk = 64;
        if (slots_.size() <= longest_walk) {
            for (std::uint32_t i = 0; i < slots_.size(); ++i)
                if (is_it(slots_[i])) return i;
            return no_index;
        }
        auto const key_of = [](op c, std::array<std::uint32_t, 3> const& from, std::int64_t word) {
            std::uint32_t const words[] = {static_cast<std::uint32_t>(c),
                                           from[0],
                                           from[1],
                                           from[2],
                                           static_cast<std::uint32_t>(word),
                                           static_cast<std::uint32_t>(word >> 32U)};
            return hash_words(std::span<std::uint32_t const>(words), 0);
        };
        while (found_.size() < slots_.size()) {
            slot const& s = slots_[found_.size()];
            bool const is_constant = s.code == op::integer;
            auto const number = static_cast<std::uint32_t>(found_.size());
            found_.emplace(is_constant ? key_of(s.code, {}, s.bits[0])
                                       : key_of(s.code, s.operands, 0),
                           number);
        }
        auto const [first, last] = found_.equal_range(key_of(code, operands, bits));
        for (auto at = first; at != last; ++at)
            if (is_it(slots_[at->second])) return at->second;
        return no_index;
    }

    [[nodiscard]] std::size_t count_of(slot const& s) const noexcept
    {
        return s.level == constant_level ? 1 : sizes_[static_cast<std::size_t>(s.level)];
    }

    /// Stores a step with its column, and takes its bounds from the column.
    std::uint32_t add(slot made)
    {
        made.about = {{infinite, -infinite}, false, false};
        bool is_number = true;
        for (std::size_t i = 0; i < made.bits.size(); ++i) {
            if (made.failed[i] != 0) {
                made.about.may_fail = true;
                continue;
            }
            made.about.may_succeed = true;
            double const v =
                made.real ? std::bit_cast<double>(made.bits[i]) : static_cast<double>(made.bits[i]);
            is_number = is_number && v == v;
            made.about.range.low = std::min(made.about.range.low, v);
            made.about.range.high = std::max(made.about.range.high, v);
        }
        interval const seen = made.about.range;
        made.about.range = is_number ? settled(seen.low, seen.high, made.real) : interval{};
        slots_.push_back(std::move(made));
        return static_cast<std::uint32_t>(slots_.size() - 1);
    }

    std::vector<std::size_t> sizes_;
    std::vector<slot> slots_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> found_; // steps of a long table
};

} // namespace attune::inline ATTUNE_ABI::detail
