// tests/search/compose/gene.cpp : mirrors include/attune/search/compose/gene.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/compose/gene.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <numeric>
#include <vector>

using attune::search::item_order;
using attune::search::order_view;

namespace {

item_order identity(std::size_t items)
{
    item_order out(items);
    std::iota(out.begin(), out.end(), std::uint16_t{0});
    return out;
}
item_order random_order(std::size_t items, attune::random_engine& engine)
{
    item_order out = identity(items);
    attune::shuffle(std::span(out), engine);
    return out;
}
bool is_order(item_order items)
{
    std::sort(items.begin(), items.end());
    return items == identity(items.size());
}

/// Textbooks count items from 1.
item_order from_one(std::vector<int> const& items)
{
    item_order out;
    for (int const item : items)
        out.push_back(static_cast<std::uint16_t>(item - 1));
    return out;
}

std::size_t place_in(order_view order, std::uint16_t item)
{
    return static_cast<std::size_t>(std::find(order.begin(), order.end(), item) - order.begin());
}
bool is_in(order_view order, std::uint16_t item) { return place_in(order, item) < order.size(); }

/// PMX as textbooks print it: outside the section an item stays unless the section has it; then the
/// chain of replacements is followed until an item comes that the section does not have.
item_order pmx_by_chains(order_view a, order_view b, std::size_t first, std::size_t count)
{
    item_order out(a.begin(), a.end());
    order_view const section = b.subspan(first, count);
    std::copy(section.begin(), section.end(), out.begin() + static_cast<std::ptrdiff_t>(first));
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (i >= first && i < first + count) continue;
        std::uint16_t item = a[i];
        while (is_in(section, item))
            item = a[first + place_in(section, item)];
        out[i] = item;
    }
    return out;
}

/// CX: every cycle of the places is labelled; those of the cycle of `start` come from `b`.
item_order cx_by_labels(order_view a, order_view b, std::size_t start)
{
    std::vector<std::size_t> label(a.size());
    std::iota(label.begin(), label.end(), std::size_t{0});
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < a.size(); ++i) {
            std::size_t const j = place_in(a, b[i]);
            std::size_t const low = std::min(label[i], label[j]);
            changed = changed || label[i] != label[j];
            label[i] = label[j] = low;
        }
    }
    item_order out(a.begin(), a.end());
    for (std::size_t i = 0; i < a.size(); ++i)
        if (label[i] == label[start]) out[i] = b[i];
    return out;
}

/// OX: place by place, the section or the next item of `a` that the section does not have.
item_order ox_by_places(order_view a, order_view b, std::size_t to, std::size_t from,
                        std::size_t count)
{
    item_order out;
    std::size_t next = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (i >= to && i < to + count) {
            out.push_back(b[from + i - to]);
            continue;
        }
        while (is_in(b.subspan(from, count), a[next]))
            ++next;
        out.push_back(a[next++]);
    }
    return out;
}

/// PX: the items of `b` that are among the first `cut` of `a`, then the rest of `a`.
item_order px_by_filter(order_view a, order_view b, std::size_t cut)
{
    item_order out;
    for (std::uint16_t const item : b)
        if (place_in(a, item) < cut) out.push_back(item);
    out.insert(out.end(), a.begin() + static_cast<std::ptrdiff_t>(cut), a.end());
    return out;
}

item_order rotated(item_order order, std::size_t by)
{
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(by), order.end());
    return order;
}

} // namespace

TEST_CASE("crossovers give the children of the textbooks")
{
    // Eiben & Smith, "Introduction to Evolutionary Computing", Sec. 4.5.1: these two parents.
    item_order const p1 = from_one({1, 2, 3, 4, 5, 6, 7, 8, 9});
    item_order const p2 = from_one({9, 3, 7, 8, 2, 6, 5, 1, 4});
    // PMX of the section 4 5 6 7 of the first parent into the second.
    CHECK(attune::search::cross_pmx(p2, p1, 3, 4) == from_one({9, 3, 2, 4, 5, 6, 7, 1, 8}));
    // CX: the cycle of place 1 is 1 9 4 8.
    CHECK(attune::search::cross_cx(p2, p1, 0) == from_one({1, 3, 7, 4, 2, 6, 5, 8, 9}));
    CHECK(attune::search::cross_cx(p1, p2, 0) == from_one({9, 2, 3, 8, 5, 6, 7, 1, 4}));
    // OX of Davis fills from behind the section on, around the end: the same as from the first
    // place on where the section is at the end.
    CHECK(rotated(attune::search::cross_ox1(rotated(p2, 7), rotated(p1, 7), 5, 4), 2) ==
          from_one({3, 8, 2, 4, 5, 6, 7, 1, 9}));
    // From the first place on: 9 3 8 2 1 around 4 5 6 7.
    CHECK(attune::search::cross_ox1(p2, p1, 3, 4) == from_one({9, 3, 8, 4, 5, 6, 7, 2, 1}));
    // Goldberg & Lingle 1985: A = 9 8 4 | 5 6 7 | 1 3 2 10, B = 8 7 1 | 2 3 10 | 9 5 4 6.
    item_order const a = from_one({9, 8, 4, 5, 6, 7, 1, 3, 2, 10});
    item_order const b = from_one({8, 7, 1, 2, 3, 10, 9, 5, 4, 6});
    CHECK(attune::search::cross_pmx(a, b, 3, 3) == from_one({9, 8, 4, 2, 3, 10, 1, 6, 5, 7}));
    CHECK(attune::search::cross_pmx(b, a, 3, 3) == from_one({8, 10, 1, 5, 6, 7, 9, 2, 4, 3}));
    CHECK(attune::search::cross_ox3(p1, p2, 0, 7, 2) == from_one({1, 4, 2, 3, 5, 6, 7, 8, 9}));
    CHECK(attune::search::cross_px(p1, p2, 4) == from_one({3, 2, 1, 4, 5, 6, 7, 8, 9}));
}

TEST_CASE("crossovers equal a second implementation and take all items from their parents")
{
    attune::random_engine engine(1);
    for (int round = 0; round < 3000; ++round) {
        std::size_t const items = 1 + attune::uniform_below(engine, 13);
        item_order const a = random_order(items, engine);
        item_order const b = random_order(items, engine);
        std::size_t const count = attune::uniform_below(engine, items + 1);
        std::size_t const first = attune::uniform_below(engine, items - count + 1);
        std::size_t const from = attune::uniform_below(engine, items - count + 1);
        std::size_t const start = attune::uniform_below(engine, items);

        item_order const by_pmx = attune::search::cross_pmx(a, b, first, count);
        REQUIRE(by_pmx == pmx_by_chains(a, b, first, count));
        item_order const by_cx = attune::search::cross_cx(a, b, start);
        REQUIRE(by_cx == cx_by_labels(a, b, start));
        item_order const by_ox1 = attune::search::cross_ox1(a, b, first, count);
        REQUIRE(by_ox1 == ox_by_places(a, b, first, first, count));
        item_order const by_ox3 = attune::search::cross_ox3(a, b, first, from, count);
        REQUIRE(by_ox3 == ox_by_places(a, b, first, from, count));
        item_order const by_px = attune::search::cross_px(a, b, count);
        REQUIRE(by_px == px_by_filter(a, b, count));
        for (item_order const& child : {by_pmx, by_cx, by_ox1, by_ox3, by_px})
            REQUIRE(is_order(child));
        for (std::size_t i = 0; i < items; ++i) // every place of CX is that of one parent
            REQUIRE((by_cx[i] == a[i] || by_cx[i] == b[i]));
        REQUIRE(by_cx[start] == b[start]);
        for (item_order const& same :
             {attune::search::cross_pmx(a, a, first, count), attune::search::cross_cx(a, a, start),
              attune::search::cross_ox1(a, a, first, count), attune::search::cross_px(a, a, count)})
            REQUIRE(same == a); // of one parent twice that parent
    }
}

TEST_CASE("mutations of orders do what they say")
{
    attune::random_engine engine(2);
    item_order const five = identity(5);
    CHECK(attune::search::swapped(five, 1, 3) == item_order{0, 3, 2, 1, 4});
    CHECK(attune::search::inverted(five, 1, 3) == item_order{0, 3, 2, 1, 4});
    CHECK(attune::search::inverted(five, 1, 4) == item_order{0, 4, 3, 2, 1});
    CHECK(attune::search::inverted(five, 2, 0) == five);
    CHECK(attune::search::shifted(five, 0, 2, 3) == item_order{2, 3, 4, 0, 1});
    CHECK(attune::search::shifted(five, 3, 1, 0) == item_order{3, 0, 1, 2, 4});
    CHECK(attune::search::shifted(five, 2, 2, 2) == five);
    CHECK(attune::search::with_small_changes(five, 0, engine) == five);
    // Every pair is swapped: the first item moves to the end.
    CHECK(attune::search::with_small_changes(five, 1, engine) == item_order{1, 2, 3, 4, 0});
    for (int round = 0; round < 500; ++round) {
        std::size_t const items = 1 + attune::uniform_below(engine, 30);
        item_order const a = random_order(items, engine);
        CHECK(is_order(attune::search::with_small_changes(a, 0.25, engine)));
        std::size_t const count = attune::uniform_below(engine, items + 1);
        std::size_t const first = attune::uniform_below(engine, items - count + 1);
        item_order const back =
            attune::search::inverted(attune::search::inverted(a, first, count), first, count);
        CHECK(back == a);
        std::size_t const to = attune::uniform_below(engine, items - count + 1);
        item_order const moved = attune::search::shifted(a, first, count, to);
        CHECK(is_order(moved));
        CHECK(attune::search::shifted(moved, to, count, first) == a);
    }
}

TEST_CASE("small changes swap each pair of neighbours with the probability given")
{
    attune::random_engine engine(3);
    constexpr int rounds = 20000;
    int first_stays = 0;
    for (int round = 0; round < rounds; ++round)
        first_stays +=
            attune::search::with_small_changes(identity(6), 0.25, engine)[0] == 0 ? 1 : 0;
    // Mean 15000, standard deviation 61.
    CHECK(first_stays > 15000 - 5 * 62);
    CHECK(first_stays < 15000 + 5 * 62);
}

TEST_CASE("moved_along leads all the way, and not at all")
{
    attune::random_engine engine(4);
    for (int round = 0; round < 500; ++round) {
        std::size_t const items = 1 + attune::uniform_below(engine, 20);
        item_order const a = random_order(items, engine);
        item_order const from = random_order(items, engine);
        item_order const to = random_order(items, engine);
        CHECK(attune::search::moved_along(from, from, to, 1, engine) == to);
        CHECK(attune::search::moved_along(a, from, to, 0, engine) == a);
        CHECK(attune::search::moved_along(a, to, to, 0.5, engine) == a);
        CHECK(is_order(attune::search::moved_along(a, from, to, 0.5, engine)));
        // The items at the places of `a` are moved as those of `from` are.
        item_order const whole = attune::search::moved_along(a, from, to, 1, engine);
        for (std::size_t i = 0; i < items; ++i)
            REQUIRE(whole[i] == a[place_in(from, to[i])]);
    }
}
