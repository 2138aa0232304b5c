// tests/core/constant_array.cpp - forms of arrays that never change.
// SPDX-License-Identifier: MIT
#include <attune/core/constant_array.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

using attune::constant_array;
using attune::constant_view;

namespace {

/// The form's elements; a new form has `value` in all of them.
float const* form_of(constant_view<float> of, std::string const& name,
                     std::vector<long> const& numbers, std::size_t elements, float value)
{
    attune::detail::constant_forms* const in = of.forms();
    auto const count = static_cast<long>(numbers.size());
    if (void const* const found = in->find(in, name.c_str(), numbers.data(), count))
        return static_cast<float const*>(found);
    void* begun = nullptr;
    void* const to =
        in->begin(in, name.c_str(), numbers.data(), count, elements * sizeof(float), &begun);
    REQUIRE(to != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(to) % 64 == 0);
    for (std::size_t i = 0; i < elements; ++i)
        static_cast<float*>(to)[i] = value;
    return static_cast<float const*>(in->keep(in, begun));
}

} // namespace

TEST_CASE("a constant array takes a vector's elements, or copies them")
{
    std::vector<float> numbers{1, 2, 3};
    float const* const first = numbers.data();
    constant_array<float> const copied{std::span<float const>(numbers)};
    CHECK(copied.data() != first);
    constant_array<float> const taken(std::move(numbers));
    CHECK(taken.data() == first);
    CHECK(taken.size() == 3);
    CHECK(taken[2] == 3);
    CHECK(std::vector<float>(copied.begin(), copied.end()) == std::vector<float>{1, 2, 3});
}

TEST_CASE("nothing can write the elements")
{
    using array = constant_array<float>;
    static_assert(std::is_same_v<decltype(std::declval<array&>().data()), float const*>);
    static_assert(std::is_same_v<decltype(std::declval<array&>()[0]), float const&>);
    static_assert(!std::is_constructible_v<std::span<float>, array&>);
    static_assert(std::is_constructible_v<std::span<float const>, array const&>);
    static_assert(!std::is_convertible_v<std::vector<float>, array>); // written out in a call
    static_assert(std::is_convertible_v<array const&, constant_view<float>>);
    static_assert(!std::is_convertible_v<array, constant_view<float>>); // packed for one call
    CHECK(true);
}

TEST_CASE("an array without elements has no forms")
{
    constant_array<float> none;
    CHECK(none.size() == 0);
    CHECK(none.data() == nullptr);
    CHECK(none.kept_bytes() == 0);
    CHECK(constant_view<float>(none).forms() == nullptr);
    constant_array<float> some(std::vector<float>{1});
    none = std::move(some);
    CHECK(none.size() == 1);
    CHECK(constant_view<float>(none).forms() != nullptr);
}

TEST_CASE("a form is made once for a name and numbers")
{
    constant_array<float> const array(std::vector<float>(4));
    float const* const first = form_of(array, "by columns", {4, 2}, 8, 1);
    CHECK(form_of(array, "by columns", {4, 2}, 8, 9) == first);
    CHECK(first[0] == 1);
    CHECK(form_of(array, "by columns", {4, 3}, 8, 2) != first);
    CHECK(form_of(array, "by columns", {4}, 8, 3) != first);
    CHECK(form_of(array, "by rows", {4, 2}, 8, 4) != first);
    CHECK(array.kept_bytes() == 4 * 8 * sizeof(float));
}

TEST_CASE("copies share forms, other arrays with equal elements do not")
{
    std::vector<float> const numbers{1, 2};
    constant_array<float> first(numbers);
    constant_array<float> const other(numbers);
    constant_array<float> const copy = first;
    float const* const form = form_of(first, "form", {}, 2, 5);
    CHECK(form_of(copy, "form", {}, 2, 6) == form);
    CHECK(form_of(other, "form", {}, 2, 7)[0] == 7);
    // A new array in its place has none of the old forms, which the copy keeps.
    first = constant_array<float>(numbers);
    CHECK(first.kept_bytes() == 0);
    CHECK(form[1] == 5);
    CHECK(copy.kept_bytes() == 2 * sizeof(float));
}

TEST_CASE("threads that make one form at once get the same one")
{
    for (int round = 0; round < 50; ++round) {
        constant_array<float> const array(std::vector<float>(1));
        std::atomic<int> waiting{4};
        std::array<float const*, 4> got{};
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < got.size(); ++t)
            threads.emplace_back([&, t] {
                --waiting;
                while (waiting > 0) {
                }
                constant_view<float> const view = array;
                attune::detail::constant_forms* const in = view.forms();
                void* begun = nullptr;
                void* const to = in->begin(in, "form", nullptr, 0, 64 * sizeof(float), &begun);
                for (std::size_t i = 0; i < 64; ++i)
                    static_cast<float*>(to)[i] = 3;
                got[t] = static_cast<float const*>(in->keep(in, begun));
            });
        for (std::thread& one : threads)
            one.join();
        for (float const* const one : got) {
            CHECK(one == got[0]);
            CHECK(one[63] == 3);
        }
        CHECK(array.kept_bytes() == 64 * sizeof(float));
    }
}
