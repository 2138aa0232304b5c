// tests/measure/device/worker/worker_protocol.cpp : mirrors include/attune/measure/device/worker/worker_protocol.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/measure/device/worker/worker_protocol.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "../../../support/texts.hpp"

namespace worker = attune::detail::worker;
using attune::failure;
using attune::failure_stage;
using attune::detail::damaged_message;
using attune::detail::message_reader;
using attune::detail::message_writer;

namespace {

attune::device_code some_code()
{
    attune::device_code code{.image = std::string("\x7f"
                                                  "ELF\0\0with zeros",
                                                  16),
                             .entry = "_Z5saxpyILi4EEvPf",
                             .architecture = 90,
                             .resources = {32, 8, 16, 1024, 380, 256}};
    return code;
}

bool is_same(attune::device_code const& a, attune::device_code const& b)
{
    return a.image == b.image && a.entry == b.entry && a.architecture == b.architecture &&
           a.resources == b.resources;
}

template <class T, class Get>
auto there_and_back(T const& what, Get const& get)
{
    message_writer to;
    worker::put(to, what);
    std::string const text = to.take();
    // Whatever is cut off is missed.
    for (std::size_t length = 0; length < text.size(); ++length) {
        std::string const part = text.substr(0, length);
        message_reader from(part);
        CHECK_THROWS_AS((void)get(from), damaged_message);
    }
    message_reader from(text);
    auto got = get(from);
    CHECK(from.is_at_end());
    return got;
}

} // namespace

TEST_CASE("a variant arrives with its code and its geometry")
{
    attune::device_variant const v{some_code(), {{7, 6, 5}, {4, 3, 2}, {2, 1, 1}, 4096, true}};
    auto const got = there_and_back(v, worker::get_variant);
    CHECK(is_same(got.code, v.code));
    CHECK(got.launch == v.launch);
}

TEST_CASE("options arrive, each of them")
{
    attune::detail::device_bench_options o;
    o.cache = attune::cache_state::cold;
    o.precision = 0.125;
    o.timing_limit_s = 7;
    o.as_graph = true;
    o.compare_results = false;
    o.perturb = false;
    o.repeat_default = false;
    o.comparison = some_code();
    auto const got = there_and_back(o, worker::get_options);
    CHECK(got.cache == o.cache);
    CHECK(got.precision == o.precision);
    CHECK(got.timing_limit_s == o.timing_limit_s);
    CHECK(got.as_graph);
    CHECK_FALSE(got.compare_results);
    CHECK_FALSE(got.perturb);
    CHECK_FALSE(got.repeat_default);
    CHECK(is_same(got.comparison, o.comparison));
}

TEST_CASE("the end of a first run arrives: seconds, or a failure")
{
    failure const why{failure_stage::verify, "argument 2, element 17", "a log\nof two lines"};
    auto const got = std::get<failure>(
        there_and_back(attune::first_run_result{why}, worker::get_first_run_result));
    CHECK(got.stage == why.stage);
    CHECK(got.reason == why.reason);
    CHECK(got.log == why.log);
    CHECK(std::get<double>(there_and_back(attune::first_run_result{0.25},
                                          worker::get_first_run_result)) == 0.25);
}

TEST_CASE("what a measurement is made of arrives")
{
    attune::timing_record const empty;
    CHECK(there_and_back(empty, worker::get_timing) == empty);
    attune::timing_record const taken{
        .times = {3, 1, 2}, .disturbed = {0, 2}, .runs = 5, .threads = 4, .clock = "events"};
    CHECK(there_and_back(taken, worker::get_timing) == taken);
}

TEST_CASE("a comparison arrives with every round, or with who failed")
{
    using result = std::variant<attune::round_times, std::size_t>;
    attune::round_times times(3);
    for (double const s : {3.0, 1.0, 2.0})
        times.add(0, s);
    times.add(2, 5.0);
    auto const got =
        std::get<attune::round_times>(there_and_back(result{times}, worker::get_comparison));
    REQUIRE(got.size() == 3);
    CHECK(got.rounds(0) == 3);
    CHECK(got.rounds(1) == 0);
    CHECK(got.rounds(2) == 1);
    CHECK(got.seconds(0)[1] == 1.0);
    CHECK(got.time(0).value == 2.0);
    CHECK(std::get<std::size_t>(there_and_back(result{std::size_t{5}}, worker::get_comparison)) ==
          5);
}

TEST_CASE("what a worker begins with arrives")
{
    worker::beginning how;
    how.driver_path = "/somewhere/libcuda.so.1";
    how.bus = "0000:41:00.0";
    how.options.precision = 0.5;
    how.may_copy = false;
    how.regions = {{attune::detail::memory_place::device, 100, 4, true, {}, 12}, {}};
    how.regions[0].handle.reserved[63] = 'z';
    how.region_of = {0, 0, 1};
    how.offset_of = {0, 40, 0};
    how.call.ordinal = 3;
    how.call.buffers.resize(3);
    how.call.buffers[1].where.bytes = 60;
    how.call.buffers[1].where.writable = true;
    how.call.buffers[1].where.type = attune::element_type::f32;
    how.call.buffers[1].where.within = {1, 2};
    how.call.buffers[1].where.argument = 4;
    how.call.arguments.resize(2);
    how.call.arguments[0].buffer = 1;
    how.call.arguments[1].value = {std::byte{1}, std::byte{2}, std::byte{3}};
    worker::beginning const got = there_and_back(how, worker::get_beginning);
    CHECK(got.driver_path == how.driver_path);
    CHECK(got.bus == how.bus);
    CHECK(got.options.precision == 0.5);
    CHECK_FALSE(got.may_copy);
    REQUIRE(got.regions.size() == 2);
    CHECK(got.regions[0].place == attune::detail::memory_place::device);
    CHECK(got.regions[0].bytes == 100);
    CHECK(got.regions[0].skew == 4);
    CHECK(got.regions[0].by_handle);
    CHECK(got.regions[0].handle.reserved[63] == 'z');
    CHECK(got.regions[0].offset == 12);
    CHECK(got.region_of == how.region_of);
    CHECK(got.offset_of == how.offset_of);
    CHECK(got.call.ordinal == 3);
    REQUIRE(got.call.buffers.size() == 3);
    CHECK(got.call.buffers[1].where.bytes == 60);
    CHECK(got.call.buffers[1].where.writable);
    CHECK(got.call.buffers[1].where.type == attune::element_type::f32);
    CHECK(got.call.buffers[1].where.within.relative == 2);
    CHECK(got.call.buffers[1].where.argument == 4);
    REQUIRE(got.call.arguments.size() == 2);
    CHECK(got.call.arguments[0].buffer == 1);
    CHECK(got.call.arguments[1].buffer == attune::detail::device_argument::by_value);
    CHECK(got.call.arguments[1].value == how.call.arguments[1].value);
    how.region_of[2] = 2; // there are two regions only
    message_writer wrong;
    put(wrong, how);
    std::string const text = wrong.take();
    message_reader from(text);
    CHECK_THROWS_AS((void)worker::get_beginning(from), damaged_message);
}

TEST_CASE("an exception arrives with its sentences")
{
    auto const sent = [](auto const& thrown) {
        message_writer to;
        worker::put_thrown(to, std::make_exception_ptr(thrown));
        std::string const text = to.take();
        message_reader from(text);
        return worker::get_thrown(from);
    };
    attune::error const known("out of memory", "device 0", "buy some");
    CHECK(sent(known).what() == std::string(known.what()));
    CHECK(sent(known).where() == "device 0");
    CHECK(sent(known).next() == "buy some");
    CHECK(sent(attune::error("alone", "", "")).what() == std::string("attune: alone"));
    CHECK(sent(std::runtime_error("of the library")).what() ==
          std::string("attune: of the library"));
}

TEST_CASE("arrays arrive through shared memory, empty ones too")
{
    std::vector<std::vector<std::byte>> const arrays{
        {std::byte{1}, std::byte{2}}, {}, std::vector<std::byte>(100000, std::byte{9})};
    worker::message m;
    message_writer to;
    worker::put_arrays(m, to, arrays);
    m.text = to.take();
    CHECK(m.bulk_bytes == 100002);
    CHECK(m.text.size() < 100);
    {
        message_reader from(m.text);
        CHECK(worker::get_arrays(m, from) == arrays);
    }
    worker::message none;
    message_writer nothing;
    worker::put_arrays(none, nothing, {});
    none.text = nothing.take();
    message_reader from(none.text);
    CHECK(worker::get_arrays(none, from).empty());
    CHECK_FALSE(none.bulk.is_open());
}

TEST_CASE("ends of different versions or layouts have different marks")
{
    using sizes = std::vector<std::size_t>;
    auto const of = [](char const* version, sizes const& all) {
        return worker::protocol_mark(version, all);
    };
    std::string const one = of("0.3.0", {96, 40});
    CHECK(one == of("0.3.0", {96, 40}));
    CHECK(one != of("0.3.1", {96, 40}));
    CHECK(one != of("0.3.0", {40, 96}));
    CHECK(one != of("0.3.0", {96, 40, 0}));
    // What a sum of shifted sizes takes for the same.
    CHECK(of("0.3.0", {1, 0}) != of("0.3.0", {0, 256}));
    CHECK(of("0.3.0", {11, 1}) != of("0.3.0", {1, 11}));
}

TEST_CASE("what another attune has sent is refused with the reason")
{
    message_writer to;
    put(to, worker::beginning{});
    std::string text = to.take();
    text[text.find_first_of("0123456789abcdef")] ^= 1; // the first letter of the mark
    message_reader from(text);
    std::string const said = attune_test::error_of([&] { (void)worker::get_beginning(from); });
    CHECK(said.find("of another attune") != std::string::npos);
    CHECK(said.find("start the program anew") != std::string::npos);
}
