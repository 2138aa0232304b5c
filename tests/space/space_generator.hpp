// tests/space/space_generator.hpp - descriptions drawn at random.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/declare/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "space_writer.hpp"

namespace attune_tests {

/// Draws spaces of 1 to 6 discrete parameters of every kind, with 0 to 6 random constraints.
class space_generator {
public:
    explicit space_generator(std::uint64_t seed)
        : engine_(seed)
    {
    }

    /// @return at most `most` settings in all
    description draw(std::uint64_t most = 3000)
    {
        for (;;) {
            description made = draw_any();
            std::uint64_t settings = 1;
            for (parameter_description const& p : made.parameters)
                settings *= p.value_count();
            if (settings <= most) return made;
        }
    }

    /// The same where some parameters are conditional, on parameters before or behind them, and
    /// some have a default. Conditions divide by nothing, so that each has a value. At most 120
    /// settings in all.
    description draw_conditional()
    {
        for (;;) {
            description const made = draw(120);
            if (made.parameters.size() < 2) continue;
            writer_.out = made;
            add_conditions();
            return writer_.out;
        }
    }

private:
    void add_conditions()
    {
        std::vector<std::uint32_t> order;
        for (std::uint32_t i = 0; i < writer_.out.parameters.size(); ++i)
            order.push_back(i);
        attune::shuffle(std::span(order), engine_);
        divides_ = false;
        for (std::uint32_t const i : order) {
            parameter_description& p = writer_.out.parameters[i];
            std::uint32_t const standard = static_cast<std::uint32_t>(below(p.value_count()));
            if (below(2) == 0) p.default_text = attune::text_of(p, {standard, 0});
            if (!readable_.empty() && below(3) > 0) {
                std::uint32_t const root = condition(2);
                writer_.out.parameters[i].active = {.root = root, .text = "a condition"};
            }
            readable_.push_back(i);
        }
        readable_.clear();
        divides_ = true;
    }

    description draw_any()
    {
        writer_ = {};
        std::size_t const parameters = 1 + below(6);
        for (std::size_t i = 0; i < parameters; ++i)
            add_parameter("p" + std::to_string(i));
        std::size_t const constraints = std::min(below(7), below(7));
        for (std::size_t i = 0; i < constraints; ++i) {
            std::string const text = "c" + std::to_string(i);
            if (below(8) == 0)
                add_opaque(text);
            else
                writer_.require(condition(3), text);
        }
        return writer_.out;
    }

    std::uint64_t below(std::uint64_t n) { return attune::uniform_below(engine_, n); }
    std::int64_t between(std::int64_t low, std::int64_t high)
    {
        return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low + 1)));
    }

    void add_parameter(std::string const& name)
    {
        switch (below(8)) {
        case 0: {
            std::int64_t const first = between(-3, 2);
            writer_.range(name, first, first + between(0, 6));
            break;
        }
        case 1:
            writer_.numbers(name, {1, 2, 4, 8});
            break;
        case 2:
            writer_.fractions(name, {-0.5, 0.25, 1.0, 3.5});
            break;
        case 3:
            writer_.labels(name, {"aos", "soa", "tiled"});
            break;
        case 4:
            writer_.numbers(name, {7, -1, 3}, parameter_kind::categorical);
            break;
        case 5:
            writer_.boolean(name);
            break;
        case 6:
            writer_.permutation(name, 1 + static_cast<std::uint32_t>(below(3)));
            break;
        default: {
            std::int64_t const extent = between(1, 12);
            writer_.tile(name, extent, 2 + static_cast<std::uint32_t>(below(2)));
        }
        }
    }

    void add_opaque(std::string const& text)
    {
        // Call order, not ascending, and perhaps the same parameter twice.
        std::vector<std::uint32_t> scope;
        for (std::uint64_t i = 0, count = 1 + below(3); i < count; ++i)
            scope.push_back(any_parameter());
        std::uint32_t const refused = static_cast<std::uint32_t>(below(3));
        writer_.require_opaque(
            scope,
            [refused](description const&, std::span<coordinate const> at) {
                std::uint32_t sum = 0;
                for (coordinate const& c : at)
                    sum = sum * 2 + c.index;
                return sum % 3 != refused;
            },
            text);
    }

    std::uint32_t any_parameter()
    {
        if (!readable_.empty()) return readable_[below(readable_.size())];
        return static_cast<std::uint32_t>(below(writer_.out.parameters.size()));
    }

    std::uint32_t operand()
    {
        if (below(4) == 0) return below(6) == 0 ? writer_.literal(0.75) : literal();
        std::uint32_t const p = any_parameter();
        parameter_description const& parameter = writer_.out.parameters[p];
        if (parameter.type == value_kind::text) return literal();
        if (parameter.type != value_kind::list) return writer_.read(p);
        std::int64_t const place = between(0, parameter.parts - 1);
        if (parameter.kind == parameter_kind::permutation && below(2) == 0)
            return writer_.read(p, op::position, place);
        return writer_.read(p, op::element, place);
    }
    std::uint32_t literal() { return writer_.literal(between(-3, 8)); }

    std::uint32_t value(int depth)
    {
        if (depth == 0 || below(4) == 0) return operand();
        static constexpr op two[] = {
            op::add,    op::subtract, op::multiply,     op::minimum,      op::maximum,
            op::divide, op::modulo,   op::floor_divide, op::floor_modulo, op::ceil_divide};
        switch (below(8)) {
        case 0:
            return writer_.join(op::negate, value(depth - 1));
        case 1:
            return writer_.join(op::absolute, value(depth - 1));
        case 2: {
            std::uint32_t const when = condition(depth - 1);
            std::uint32_t const yes = value(depth - 1);
            return writer_.join(op::select, when, yes, value(depth - 1));
        }
        default: {
            op const code = two[below(divides_ ? std::size(two) : 5)];
            std::uint32_t const left = value(depth - 1);
            return writer_.join(code, left, value(depth - 1));
        }
        }
    }

    op comparison()
    {
        static constexpr op compare[] = {op::less,          op::less_equal, op::greater,
                                         op::greater_equal, op::equal,      op::not_equal};
        return compare[below(std::size(compare))];
    }

    /// One value equals one of a list: x in (1, 4), layout in ("aos", "soa").
    std::uint32_t membership(int depth)
    {
        std::uint32_t const p = any_parameter();
        bool const is_text = writer_.out.parameters[p].type == value_kind::text;
        std::uint32_t const subject = is_text ? writer_.read(p) : value(depth);
        std::uint32_t any = attune::no_index;
        for (std::uint64_t i = 0, count = 1 + below(3); i < count; ++i) {
            static constexpr char const* labels[] = {"aos", "soa", "tiled", "none"};
            std::uint32_t const item = is_text ? writer_.text(labels[below(4)]) : literal();
            std::uint32_t const same = writer_.join(op::equal, subject, item);
            any = any == attune::no_index ? same : writer_.join(op::logical_or, any, same);
        }
        return below(4) == 0 ? writer_.join(op::logical_not, any) : any;
    }

    /// a < b <= c: the middle is one node of both comparisons.
    std::uint32_t chained(int depth)
    {
        std::uint32_t const low = value(depth);
        std::uint32_t const middle = value(depth);
        std::uint32_t const first = writer_.join(comparison(), low, middle);
        return writer_.join(op::logical_and, first,
                            writer_.join(comparison(), middle, value(depth)));
    }

    std::uint32_t condition(int depth)
    {
        std::uint64_t const kind = depth == 0 ? 9 : below(14);
        if (kind == 12) return membership(depth - 1);
        if (kind == 13) return chained(depth - 1);
        if (kind == 0) return writer_.join(op::logical_not, condition(depth - 1));
        if (kind < 6) {
            std::uint32_t const left = condition(depth - 1);
            return writer_.join(kind < 3 ? op::logical_and : op::logical_or, left,
                                condition(depth - 1));
        }
        std::uint32_t const p = any_parameter();
        if (kind == 6 && writer_.out.parameters[p].type == value_kind::text) {
            std::uint32_t const left = writer_.read(p);
            return writer_.join(below(2) == 0 ? op::equal : op::not_equal, left,
                                writer_.text("soa"));
        }
        if (kind == 7) return value(depth - 1); // any number may stand for a condition
        op const code = comparison();
        int const deep = depth > 0 ? depth - 1 : 0;
        std::uint32_t const left = value(deep);
        return writer_.join(code, left, value(deep));
    }

    attune::random_engine engine_;
    space_writer writer_;
    std::vector<std::uint32_t> readable_; // parameters that a condition may read; empty: all
    bool divides_ = true;
};

} // namespace attune_tests
