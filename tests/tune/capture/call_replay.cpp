// tests/tune/capture/call_replay.cpp - a captured call is the same call again, or is refused; its result is in a file.
// SPDX-License-Identifier: MIT
#include <attune/tune/capture/call_replay.hpp>

#include <attune/core/matrix_view.hpp>
#include <attune/core/random.hpp>
#include <attune/measure/arrays/content.hpp>
#include <attune/remember/files/captured_call.hpp>
#include <attune/tune/capture/call_capture.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "../../support/child_status.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"

using attune::detail::dispatched_kernel;
using attune::detail::replay_in;
using attune::detail::replay_of_call;
using attune_test::has;

namespace {

struct particle {
    double position[3];
    int charge;
};
enum class side : unsigned char { left, right };

inline constexpr auto n = attune::input<"N", int>();
inline constexpr auto space = attune::space(attune::categorical<"WAY">(0, 1));

template <class Signature>
struct captured;

/// Captures calls of a kernel, and replays them.
template <class Result, class... Args>
struct captured<Result(Args...)> {
    using shape = attune::detail::shape_of_call<Args...>;

    attune::kernel<Result(Args...)> kernel{"move", attune::source_text("", "move.cpp"), space};
    support::scratch_directory folder{};
    std::string path = folder.file("move.capture");

    dispatched_kernel subject() const
    {
        return {.kernel = kernel.describe(),
                .compiler = {},
                .options = {},
                .layout = shape::layout(),
                .find_device = {}};
    }
    attune::detail::keyed_call call_of(Args const&... args) const
    {
        auto const description = kernel.describe();
        auto const key = shape({})(args...);
        attune::detail::keyed_call out{
            {key.begin(), key.end()},
            {},
            attune::detail::make_frame_of<Result, Args...>(description.tolerances, args...)};
        for (auto const& input : description.inputs)
            out.inputs.push_back(attune::detail::number_of_argument(input.position, args...));
        return out;
    }
    /// Complete.
    attune::detail::keyed_call original(Args const&... args) const
    {
        auto out = call_of(args...);
        attune::detail::set_extents(out.frame, kernel.describe(), subject().values_of(out.inputs));
        return out;
    }
    attune::detail::captured_call capture(Args const&... args) const
    {
        auto const call = original(args...);
        auto out = attune::detail::describe_call(kernel.describe(), call.inputs, call.frame);
        write(out, call.frame);
        return out;
    }
    void write(attune::detail::captured_call const& call, attune::call_frame const& frame) const
    {
        support::write_file(path, attune::detail::capture_text(call, [&](std::string& to) {
                                attune::detail::append_content(to, frame);
                            }));
    }
    attune::detail::call_maker maker() const
    {
        return [this](attune::detail::given_arguments const& from) {
            return std::apply([this](Args const&... args) { return call_of(args...); },
                              attune::detail::given_arguments_of<Args...>(from));
        };
    }
    auto replay() const { return replay_in(path, subject(), maker()); }
    std::string refusal() const
    {
        try {
            static_cast<void>(replay());
            return {};
        } catch (attune::error const& e) {
            CHECK(e.where() != "");
            return e.what_alone();
        }
    }
};

/// The rows of an array, without what lies between them.
std::string content_of(attune::buffer const& b)
{
    std::string out;
    attune::detail::for_each_row(b, [&out](std::byte const* first, std::size_t bytes) {
        out.append(reinterpret_cast<char const*>(first), bytes);
    });
    return out;
}

/// The replay has memory of its own, and is the same in everything that a kernel could see.
void check_same(attune::detail::keyed_call const& had, replay_of_call const& made)
{
    attune::detail::keyed_call const& got = made.call;
    CHECK(got.shape == had.shape);
    CHECK(got.inputs == had.inputs);
    REQUIRE(got.frame.buffers.size() == had.frame.buffers.size());
    REQUIRE(got.frame.arguments.size() == had.frame.arguments.size());
    for (std::size_t i = 0; i < had.frame.arguments.size(); ++i) {
        std::vector<std::byte> const& a = had.frame.arguments[i].value;
        std::vector<std::byte> const& b = got.frame.arguments[i].value;
        // The last bytes of a long double may be anything.
        bool const is_long_double = a.size() == sizeof(long double);
        CHECK(b.size() == a.size());
        CHECK(std::equal(a.begin(), a.end() - (is_long_double ? 6 : 0), b.begin()));
    }
    for (std::size_t i = 0; i < had.frame.buffers.size(); ++i) {
        attune::buffer const& a = had.frame.buffers[i];
        attune::buffer const& b = got.frame.buffers[i];
        CHECK(b.bytes == a.bytes);
        CHECK(b.argument == a.argument);
        CHECK(b.writable == a.writable);
        if (a.argument == attune::buffer::result) continue;
        CHECK((b.data == nullptr) == (a.data == nullptr));
        CHECK(reinterpret_cast<std::uintptr_t>(b.data) % 4096 ==
              reinterpret_cast<std::uintptr_t>(a.data) % 4096);
        if (a.bytes > 0) CHECK(b.data != a.data);
        if (a.first_target == attune::buffer::none) CHECK(content_of(b) == content_of(a));
        for (std::size_t j = 0; j < i; ++j) // overlaps
            if (had.frame.buffers[j].argument != attune::buffer::result && a.bytes > 0 &&
                had.frame.buffers[j].data == a.data)
                CHECK(got.frame.buffers[j].data == b.data);
    }
}

std::map<std::string, std::string> read(std::string const& text)
{
    std::map<std::string, std::string> out;
    for (auto const& [name, value] : attune::detail::replay_report_in(text))
        out[name] = value;
    return out;
}

attune::tuning_report some_report()
{
    attune::tuning_report out;
    out.kernel = "linear::sgemm";
    out.how = attune::decision::tuned;
    out.configuration = "TILE=64 ORDER={1, 0}";
    out.best.value = 0.25;
    out.reason = "two\nlines";
    return out;
}

} // namespace

template <>
struct attune::kernel_type<particle> {
    static constexpr auto name = "particle";
};

TEST_CASE("arrays, views with gaps, structures and numbers are as they were")
{
    captured<float(std::span<float const>, attune::matrix_view<double>,
                   attune::volume_view<std::uint8_t const>, std::span<particle>, std::span<int, 3>,
                   side, bool, double, particle, long double)>
        of;
    std::vector<float> x(1000);
    std::iota(x.begin(), x.end(), 0.5f);
    std::vector<double> m(40);
    std::iota(m.begin(), m.end(), 1.0);
    std::vector<std::uint8_t> v(100);
    std::iota(v.begin(), v.end(), std::uint8_t{3});
    std::vector<particle> p(7, particle{{1, 2, 3}, -1});
    p[3].charge = 9;
    std::array<int, 3> fixed{4, 5, 6};
    auto const args = std::tuple{std::span<float const>(x).subspan(3, 901), // no multiple of 16
                                 attune::matrix_view<double>(m.data() + 1, 3, 5, 9),
                                 attune::volume_view<std::uint8_t const>(v.data(), 2, 3, 4, 30, 7),
                                 std::span<particle>(p),
                                 std::span<int, 3>(fixed),
                                 side::right,
                                 true,
                                 -0.0,
                                 particle{{7, 8, 9}, 2},
                                 3.0L};
    auto const call = std::apply([&](auto const&... a) { return of.capture(a...); }, args);
    CHECK(call.bytes == 901 * 4 + 3 * 5 * 8 + 2 * 3 * 4 + 7 * sizeof(particle) + 12);
    CHECK(call.arguments[3].array->element == "32 bytes: f64 x 3 at 0, i32 at 24");
    CHECK(call.arguments[1].array->lengths == std::vector<std::uint64_t>{3, 5, 9});
    auto const made = of.replay();
    REQUIRE(made != nullptr);
    check_same(std::apply([&](auto const&... a) { return of.original(a...); }, args), *made);
    // What lies between the rows was not the call's.
    CHECK(*reinterpret_cast<double const*>(made->call.frame.buffers[1].data + 5 * 8) == 0.0);
}

TEST_CASE("overlapping, empty and missing arrays, and arrays behind pointers")
{
    captured<void(std::span<float const>, std::span<float>, std::span<float const>,
                  std::span<float const>, std::span<double* const>, int)>
        of;
    of.kernel.bind<5>(n).extent<4>(n * 2);
    std::vector<float> x(300, 1.5f);
    std::vector<double> rows[3]{std::vector<double>(8, 1), std::vector<double>(8, 2), {}};
    std::array<double*, 4> const pointers{rows[0].data(), rows[1].data(), nullptr,
                                          rows[0].data() + 2};
    x[200] = 7;
    auto const args =
        std::tuple{std::span<float const>(x).first(250),    std::span<float>(x).subspan(100, 150),
                   std::span<float const>(x).subspan(5, 0), std::span<float const>(),
                   std::span<double* const>(pointers),      3};
    std::apply([&](auto const&... a) { static_cast<void>(of.capture(a...)); }, args);
    auto const made = of.replay();
    REQUIRE(made != nullptr);
    check_same(std::apply([&](auto const&... a) { return of.original(a...); }, args), *made);
    auto const& buffers = made->call.frame.buffers;
    CHECK(buffers[1].data == buffers[0].data + 400);
    CHECK(buffers[8].data == buffers[5].data + 16); // of the fourth pointer, into the first array
    double* first = nullptr;
    std::memcpy(&first, buffers[4].data, sizeof first);
    CHECK(reinterpret_cast<std::byte*>(first) == buffers[5].data);
    CHECK(first[1] == 1.0);
}

TEST_CASE("a call of another kernel is none; one of other types, inputs or sizes is refused")
{
    captured<void(std::span<float>, int)> of;
    of.kernel.bind<1>(n);
    std::vector<float> x(16, 1);
    auto const call = of.capture(x, 16);
    CHECK(of.refusal().empty());

    captured<void(std::span<float const>, int)> reads;
    reads.kernel.bind<1>(n);
    reads.path = of.path;
    CHECK(has(reads.refusal(), "its kernel is void(std::span<float>, int), and in this program "
                               "void(std::span<float const>, int)"));
    captured<void(std::span<float>, int)> unbound;
    unbound.path = of.path;
    CHECK(has(unbound.refusal(), "other arguments are bound to inputs"));
    captured<void(std::span<float>, int)> other;
    other.kernel = {"turn", attune::source_text("", "turn.cpp"), space};
    other.path = of.path;
    CHECK(other.replay() == nullptr);
    CHECK_THROWS_AS(static_cast<void>(replay_in(of.path, of.subject(), {})), attune::error);

    auto const frame = of.original(x, 16).frame;
    auto const refusal_of = [&](std::function<void(attune::detail::captured_call&)> const& change) {
        auto changed = call;
        change(changed);
        of.write(changed, frame);
        return of.refusal();
    };
    CHECK(refusal_of([](auto&) {}).empty());
    CHECK(has(refusal_of([](auto& c) { c.arguments[0].array->element = "i32"; }),
              "elements of argument 0 are i32, and in this program f32"));
    CHECK(has(refusal_of([](auto& c) { c.arguments[1].value = "ab"; }),
              "argument 1 of the captured call has another size in this program"));
    CHECK(has(refusal_of([](auto& c) { c.arguments.pop_back(); }), "argument 1"));
    CHECK(has(refusal_of([](auto& c) { c.arguments[0].array->lengths = {1, 16, 16}; }),
              "argument 0"));
    CHECK(has(refusal_of([](auto& c) {
                  c.arguments[0].array->element_bytes = 8;
                  c.arguments[0].array->lengths = {8};
              }),
              "argument 0"));
    CHECK(has(refusal_of([](auto& c) { c.arguments[0] = c.arguments[1]; }), "argument 0"));
    CHECK(has(refusal_of([](auto& c) { c.schema = "?"; }), "bound to inputs"));
    CHECK(refusal_of([](auto& c) { std::swap(c.arguments[0], c.arguments[1]); }) != "");
    CHECK(refusal_of([](auto& c) { c.arguments.push_back(c.arguments[1]); }).empty()); // unused
}

TEST_CASE("behind a pointer there must be as many elements, and in a fixed span")
{
    captured<void(std::span<float* const>, std::span<int const, 2>, int)> of;
    of.kernel.bind<2>(n).extent<0>(n);
    std::vector<float> row(8, 1);
    std::array<float*, 1> const pointers{row.data()};
    std::array<int, 2> const two{1, 2};
    auto const args =
        std::tuple{std::span<float* const>(pointers), std::span<int const, 2>(two), 8};
    auto const call = std::apply([&](auto const&... a) { return of.capture(a...); }, args);
    CHECK(of.refusal().empty());
    of.kernel.extent<0>(n / 2);
    CHECK(has(of.refusal(), "argument 0, array 0 has 32 bytes, and in this program 16"));
    of.kernel.extent<0>(n * 2);
    CHECK(has(of.refusal(), "argument 0, array 0 has 32 bytes, and in this program 64"));
    of.kernel.extent<0>(n);
    auto const frame = std::apply([&](auto const&... a) { return of.original(a...); }, args).frame;
    auto changed = call;
    changed.arguments[1].array->lengths = {1};
    changed.arguments[1].array->bytes = 4;
    of.write(changed, frame);
    CHECK(has(of.refusal(), "argument 1 of the captured call has another size"));
}

TEST_CASE("numbers that are changed, with the right checksum, are refused or harmless")
{
    captured<void(attune::matrix_view<float>, attune::volume_view<short const>,
                  std::span<float* const>, std::span<float>, int)>
        of;
    of.kernel.bind<4>(n).extent<2>(n);
    std::vector<float> x(200, 1), y(200, 2);
    std::vector<short> v(300, 3);
    std::array<float*, 2> const pointers{y.data(), y.data() + 50};
    auto const args = std::tuple{attune::matrix_view<float>(x.data(), 4, 5, 9),
                                 attune::volume_view<short const>(v.data(), 2, 3, 4, 30, 7),
                                 std::span<float* const>(pointers),
                                 std::span<float>(x).first(100), // overlaps the first one
                                 8};
    auto const call = std::apply([&](auto const&... a) { return of.capture(a...); }, args);
    auto const frame = std::apply([&](auto const&... a) { return of.original(a...); }, args).frame;
    attune::random_engine random(3);
    int refused = 0;
    for (int round = 0; round < 3000; ++round) {
        auto changed = call;
        std::vector<std::uint64_t*> numbers{&changed.bytes};
        auto const add = [&numbers](attune::detail::captured_array& a) {
            numbers.insert(numbers.end(), {&a.element_bytes, &a.range, &a.offset, &a.at, &a.bytes});
            for (std::uint64_t& length : a.lengths)
                numbers.push_back(&length);
        };
        for (auto& one : changed.arguments) {
            if (one.array) add(*one.array);
            for (auto& target : one.targets)
                add(target);
        }
        for (auto& one : changed.ranges)
            numbers.insert(numbers.end(), {&one.place, &one.bytes});
        for (std::uint64_t more = 1 + random() % 3; more > 0; --more) {
            std::uint64_t& one = *numbers[random() % numbers.size()];
            std::uint64_t const others[] = {
                0,       1,         8,         4095,      one + 1,  one - 1,      2 * one,
                one / 2, 1UL << 40, 1UL << 62, 1UL << 63, random(), ~0UL / 4 + 2, ~0UL};
            one = others[random() % std::size(others)];
        }
        if (changed.bytes > (std::uint64_t{1} << 20)) continue; // memory of the writer
        of.write(changed, frame);
        refused += of.refusal().empty() ? 0 : 1;
    }
    CHECK(refused > 2000);
}

TEST_CASE("a report is one line for each name, and is read as it was")
{
    auto const all = read(attune::detail::replay_report_text(some_report()));
    CHECK(all.at("kernel") == "linear::sgemm");
    CHECK(all.at("how") == "tuned");
    CHECK(all.at("configuration") == "TILE=64 ORDER={1, 0}");
    CHECK(all.at("best_s") == "0.25");
    CHECK(!attune_test::has(all.at("reason"), "\n"));
    CHECK(all.at("summary") != "");
    CHECK(read("").empty());
    CHECK(read("\n\nno\n x\nlast line").size() == 2);
    attune::tuning_report none = some_report();
    none.how = attune::decision::served_default;
    CHECK(read(attune::detail::replay_report_text(none)).at("how") == "no");
}

TEST_CASE("the process ends when the report is written, and goes on if it cannot be")
{
    support::scratch_directory const folder;
    auto const status_of = [&](std::string const& path) {
        int const status = attune_test::child_status([&] {
            attune::detail::report_replay_and_end(path, some_report());
            return 7;
        });
        return WEXITSTATUS(status);
    };
    CHECK(status_of(folder.file("report")) == 0);
    CHECK(read(support::read_file(folder.file("report"))).at("how") == "tuned");
    CHECK(status_of(folder.file("none/report")) == 7);
    CHECK(status_of("") == 7);
    attune::detail::report_no_replay(folder.file("report"), "it is\nanother one");
    CHECK(read(support::read_file(folder.file("report"))).at("how") == "no");
    attune::detail::report_no_replay(folder.file("none/report"), "");
}
