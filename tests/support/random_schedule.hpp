// tests/support/random_schedule.hpp - steps drawn at random, those that are refused left out.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/write_program.hpp>
#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/trace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace support {

/// Tries steps on a program. A step that is refused must leave the program's text as it was.
class random_scheduler {
public:
    random_scheduler(attune::nest_description const& nest, std::uint64_t seed)
        : draw_(seed)
    {
        made_.program = attune::plain_program(nest);
    }

    attune::traced_program make(int tries)
    {
        for (int i = 0; i < tries; ++i) {
            attune::schedule_step const step = drawn();
            if (step.numbers.empty() || writes_too_much(step)) continue;
            std::string const before = attune::write_program(made_.program, {"", false});
            attune::traced_program const former = made_;
            try {
                (void)made_.apply(step.action, step.numbers);
            } catch (attune::error const&) {
                if (attune::write_program(made_.program, {"", false}) != before)
                    broken_ += "refused, but changes the program: " +
                               attune::text_of(attune::schedule_trace{step}) + "after\n" +
                               attune::text_of(made_.trace);
                continue;
            }
            try {
                (void)attune::write_program(made_.program, {"", false});
            } catch (attune::error const&) { // unfinished sums in an array that rounds them
                made_ = former;
            }
        }
        return made_;
    }
    /// Steps that were refused and changed something; empty: none.
    [[nodiscard]] std::string const& broken() const { return broken_; }

private:
    std::int64_t below(std::int64_t bound)
    {
        return static_cast<std::int64_t>(
            attune::uniform_below(draw_, static_cast<std::uint64_t>(bound)));
    }
    template <class T>
    T const& any(std::vector<T> const& of)
    {
        return of[static_cast<std::size_t>(below(static_cast<std::int64_t>(of.size())))];
    }
    std::uint32_t any_block()
    {
        return any(attune::blocks_inside(made_.program, attune::no_index));
    }
    std::vector<std::uint32_t> path_of(std::uint32_t block)
    {
        return attune::loops_around(made_.program, {attune::item_kind::block, block});
    }
    /// -1: the program.
    std::int64_t any_loop_around(std::uint32_t block)
    {
        auto const path = path_of(block);
        return path.empty() || below(5) == 0 ? -1 : static_cast<std::int64_t>(any(path));
    }

    attune::schedule_step drawn()
    {
        using enum attune::schedule_action;
        attune::loop_program const& p = made_.program;
        std::uint32_t const block = any_block();
        auto const path = path_of(block);
        auto const loop = static_cast<std::int64_t>(path.empty() ? 0 : any(path));
        if (path.empty()) return {};
        std::int64_t const which = below(14);
        if (which < 2)
            return {split, {loop, any(std::vector<std::int64_t>{1, 2, 3, 4, 5, 8, 16, 32})}};
        if (which == 2) return {split_whole, {loop, any(std::vector<std::int64_t>{2, 3, 4, 8})}};
        if (which == 3 || which == 4) {
            std::vector<std::int64_t> order;
            for (std::uint32_t const one : path)
                if (below(4) != 0) order.push_back(one);
            for (std::size_t i = order.size(); i > 1; --i)
                if (below(2) == 0)
                    std::swap(order[i - 1],
                              order[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
            if (order.size() < 2) return {};
            return {reorder, order};
        }
        if (which == 5) {
            auto const& body = p.loops[static_cast<std::size_t>(loop)].body;
            if (body.front().kind != attune::item_kind::loop) return {};
            return {fuse, {loop, body.front().index}};
        }
        if (which == 6) return {parallelize, {below(2) == 0 ? std::int64_t{path.front()} : loop}};
        if (which == 7) return {vectorize, {path.back()}};
        if (which == 8) return {unroll, {loop, any(std::vector<std::int64_t>{0, 0, 2, 3, 4})}};
        if (which == 9) {
            auto const reads =
                attune::detail::accesses_of(p.nest, p.nest.statements[p.blocks[block].statement]);
            if (reads.empty()) return {};
            std::uint32_t const access = any(reads);
            std::vector<std::int64_t> numbers{block, access, any_loop_around(block), below(2)};
            layout(access, numbers);
            return {cache_read, std::move(numbers)};
        }
        if (which == 10) return {cache_write, {block, any_loop_around(block), below(2)}};
        if (which == 11) {
            // Of another statement: a consumer's loop.
            auto const other = path_of(any_block());
            if (other.empty()) return {};
            return {compute_at, {block, any(other)}};
        }
        if (which == 12)
            return {slice,
                    {below(static_cast<std::int64_t>(p.nest.axes.size())),
                     any(std::vector<std::int64_t>{1, 1, 2, 4}), below(2)}};
        return below(2) == 0 ? attune::schedule_step{inlined, {block}}
                             : attune::schedule_step{rfactor, {block, loop}};
    }
    /// Digits of the array's dimensions; none: in their order.
    void layout(std::uint32_t access, std::vector<std::int64_t>& numbers)
    {
        if (below(2) == 0) return;
        auto const count = static_cast<std::int64_t>(made_.program.nest.accesses[access].at.size());
        std::vector<std::pair<std::int64_t, std::int64_t>> digits;
        std::vector<std::pair<std::int64_t, std::int64_t>> last;
        for (std::int64_t c = 0; c < count; ++c) {
            if (below(2) == 0) digits.emplace_back(c, any(std::vector<std::int64_t>{2, 3, 4, 8}));
            last.emplace_back(c, 1);
        }
        for (std::size_t i = last.size(); i > 1; --i)
            std::swap(last[i - 1],
                      last[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
        digits.insert(digits.end(), last.begin(), last.end());
        for (auto const& [coordinate, step] : digits)
            numbers.insert(numbers.end(), {coordinate, step});
    }
    bool is_live(std::uint32_t loop)
    {
        for (std::uint32_t const block : attune::blocks_inside(made_.program, attune::no_index)) {
            auto const path = path_of(block);
            if (std::find(path.begin(), path.end(), loop) != path.end()) return true;
        }
        return false;
    }
    /// Loops that are written out inside each other take the compiler long.
    bool writes_too_much(attune::schedule_step const& step)
    {
        bool const is_wide =
            step.action == attune::schedule_action::unroll ||
            step.action == attune::schedule_action::vectorize ||
            (step.action == attune::schedule_action::cache_write && step.numbers.back() != 0);
        if (!is_wide) return false;
        std::int64_t all = 1;
        attune::loop_program const& p = made_.program;
        for (std::uint32_t l = 0; l < p.loops.size(); ++l) {
            if (!is_live(l)) continue;
            bool const is_this = step.action != attune::schedule_action::cache_write &&
                                 step.numbers.front() == static_cast<std::int64_t>(l);
            bool const is_out = p.loops[l].kind == attune::loop_kind::unrolled;
            bool const is_lanes = p.loops[l].kind == attune::loop_kind::vectorized;
            if (!(is_this || is_out || is_lanes)) continue;
            if (auto const n = attune::iterations_of(p, l))
                all *= std::max<std::int64_t>(is_lanes ? *n / 8 : *n, 1);
        }
        return all > 64;
    }

    attune::random_engine draw_;
    attune::traced_program made_;
    std::string broken_;
};

} // namespace support
