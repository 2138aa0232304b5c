// tests/tune/kernel/call_frame.cpp - one call, repeated on other memory.
// SPDX-License-Identifier: MIT
#include <attune/tune/kernel/call_frame.hpp>

#include <array>
#include <cstddef>
#include <doctest/doctest.h>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

using attune::detail::make_call_frame;

namespace {

void weighted(std::span<float const> a, int k, std::span<double> out, std::span<float, 2> pair)
{
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] += k * static_cast<double>(a[i]);
    pair[0] = static_cast<float>(a.size());
    pair[1] = static_cast<float>(out.size());
}

std::byte* bytes(void* p) { return static_cast<std::byte*>(p); }

struct data {
    std::vector<float> a{1, 2, 3};
    std::vector<double> out{10, 20, 30};
    std::array<float, 2> pair{};

    attune::call_frame frame(std::vector<std::optional<attune::tolerance>> const& t = {})
    {
        return make_call_frame<std::span<float const>, int, std::span<double>, std::span<float, 2>>(
            t, a, 5, out, pair);
    }
};

} // namespace

TEST_CASE(
    "a call frame lists the spans in order, with their positions and whether they are written")
{
    data mine;
    attune::call_frame const frame = mine.frame();
    REQUIRE(frame.buffers.size() == 3);
    CHECK(frame.buffers[0].data == bytes(mine.a.data()));
    CHECK(frame.buffers[0].bytes == 12);
    CHECK(!frame.buffers[0].writable);
    CHECK(frame.buffers[0].argument == 0);
    CHECK(frame.buffers[1].data == bytes(mine.out.data()));
    CHECK(frame.buffers[1].type == attune::element_type::f64);
    CHECK(frame.buffers[1].writable);
    CHECK(frame.buffers[1].argument == 2);
    CHECK(frame.buffers[2].argument == 3);
    CHECK(frame.buffers[2].bytes == 8);
}

TEST_CASE("a tolerance replaces the default of its argument only")
{
    data mine;
    attune::call_frame const frame = mine.frame({{}, {}, attune::tolerance{0.5, 0.25}});
    CHECK(frame.buffers[1].within.absolute == 0.5);
    CHECK(frame.buffers[1].within.relative == 0.25);
    CHECK(frame.buffers[2].within.relative ==
          attune::detail::default_tolerance(attune::element_type::f32).relative);
}

TEST_CASE("a call frame calls the code with the caller's numbers on the memory it is given")
{
    data mine;
    attune::call_frame const frame = mine.frame();
    std::vector<float> a{100, 200, 300};
    std::vector<double> out{1, 1, 1};
    std::array<float, 2> pair{};
    std::array<std::byte*, 3> const elsewhere{bytes(a.data()), bytes(out.data()),
                                              bytes(pair.data())};
    frame.call(reinterpret_cast<void*>(&weighted), elsewhere);
    CHECK(out == std::vector<double>{501, 1001, 1501});
    CHECK(pair == std::array<float, 2>{3, 3});
    CHECK(mine.out == std::vector<double>{10, 20, 30});

    frame.call(reinterpret_cast<void*>(&weighted),
               std::array<std::byte*, 3>{frame.buffers[0].data, frame.buffers[1].data,
                                         frame.buffers[2].data});
    CHECK(mine.out == std::vector<double>{15, 30, 45});
}

TEST_CASE("the arguments of a call can be seen with their types, over other memory")
{
    data mine;
    attune::call_frame const frame = mine.frame();
    std::vector<float> a{100, 200, 300};
    std::vector<double> out{1, 2, 3};
    std::array<float, 2> pair{};
    std::array<std::byte*, 3> const elsewhere{bytes(a.data()), bytes(out.data()),
                                              bytes(pair.data())};
    bool seen = false;
    frame.with_arguments(elsewhere, [&](void const* arguments) {
        using all = std::tuple<std::span<float const>, int, std::span<double>, std::span<float, 2>>;
        auto const& [x, k, y, two] = *static_cast<all const*>(arguments);
        seen = x.data() == a.data() && y.data() == out.data() && two.data() == pair.data() &&
               k == 5 && y.size() == 3;
    });
    CHECK(seen);
}

TEST_CASE("the number at a position is found among the arguments")
{
    std::vector<float> v(3);
    std::span<float> const s(v);
    CHECK(attune::detail::number_of_argument(1, s, 7, 2.5) == attune::number::of(std::int64_t{7}));
    CHECK(attune::detail::number_of_argument(2, s, 7, 2.5) == attune::number::of(2.5));
    CHECK(attune::detail::number_of_argument(1, s, true) == attune::number::of(std::int64_t{1}));
}

template <class T>
constexpr bool is_taken =
    attune::detail::fault_of_argument<T>() == attune::detail::argument_fault::none;

TEST_CASE("what a kernel may take is decided by what can be restored")
{
    struct with_pointer {
        std::string text;
    };
    static_assert(is_taken<std::span<float const>>);
    static_assert(is_taken<double>);
    static_assert(is_taken<float*>);
    static_assert(is_taken<attune::device_span<int const>>);
    static_assert(!is_taken<void*>);
    static_assert(!is_taken<void (*)()>);
    static_assert(!is_taken<with_pointer*>);
    static_assert(!is_taken<int const&>);
    static_assert(!is_taken<std::span<with_pointer>>);
}
