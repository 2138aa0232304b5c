// tests/remember/files/captured_call.cpp - captures as files: what is written is read, and nothing else is.
// SPDX-License-Identifier: MIT
#include <attune/remember/files/captured_call.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/remember/detail/line_bytes.hpp>

#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>

#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"

using attune::detail::capture_reader;
using attune::detail::capture_text;
using attune::detail::captured_array;
using attune::detail::captured_call;
using attune_test::has;

namespace {

/// A span of 3 floats, a view of 2 x 2 of 8 bytes, 4 apart, a number, and two arrays behind
/// pointers of which the second is null.
captured_call some_call()
{
    captured_call out{.kernel = "linear::sgemm<TILE>",
                      .signature = "void(std::span<float const>, int)",
                      .schema = "0123",
                      .inputs = {{"N", "3"}, {"SCALE", "0.5"}},
                      .ranges = {{64, 12}, {8, 48}, {0, 16}, {4095, 4}}};
    out.arguments.resize(4);
    out.arguments[0] = {
        "std::span<float const>", captured_array{"f32", 4, {3}, 0, 0, 0, 12}, "", {}};
    out.arguments[1] = {
        "attune::matrix_view<double>", captured_array{"f64", 8, {2, 2, 4}, 1, 0, 12, 32}, "", {}};
    out.arguments[2] = {"int", {}, std::string("\3\0\0\0", 4), {}};
    out.arguments[3] = {"std::span<float* const>",
                        captured_array{"pointer", 8, {2}, 2, 0, 44, 0},
                        "",
                        {captured_array{"f32", 4, {1}, 3, 0, 44, 4},
                         captured_array{"f32", 4, {0}, captured_array::nowhere, 0, 48, 0}}};
    out.bytes = 48;
    out.when = "2026-01-31T12:00:00Z";
    out.attune = "1.0.0";
    return out;
}

std::string some_bytes()
{
    std::string out;
    for (int i = 0; i < 48; ++i)
        out += static_cast<char>(i * 7);
    return out;
}

std::string text_of(captured_call const& call)
{
    return capture_text(call, [](std::string& to) { to += some_bytes(); });
}

/// Empty: it is read to its end.
std::string why_not(std::string text)
{
    try {
        capture_reader file = capture_reader::of_text(std::move(text), "a.capture");
        static_cast<void>(file.take_bytes());
        return {};
    } catch (attune::error const& e) {
        CHECK(!e.next().empty());
        return e.what_alone();
    }
}

/// Changes a text in the first line, and gives that its checksum.
std::string with(std::string text, std::string const& from, std::string const& to)
{
    std::size_t const at = text.find(from);
    REQUIRE(at != text.npos);
    text.replace(at, from.size(), to);
    std::size_t const end = text.find("\",\"crc\":\"");
    unsigned sum = attune::detail::crc32_of(std::string_view(text).substr(0, end));
    for (std::size_t i = 8; i-- > 0; sum >>= 4)
        text[end + 9 + i] = "0123456789abcdef"[sum & 15u];
    std::size_t const line = text.find('\n');
    if (to.size() > from.size()) // of the blanks at the end
        text.erase(line - (to.size() - from.size()), to.size() - from.size());
    else
        text.insert(line, from.size() - to.size(), ' ');
    return text;
}

} // namespace

TEST_CASE("what is written is read")
{
    captured_call const call = some_call();
    std::string const text = text_of(call);
    CHECK(attune::detail::begins_as_capture(text));
    CHECK((text.find('\n') + 1) % 64 == 0);
    capture_reader file = capture_reader::of_text(text, "a.capture");
    captured_call const& read = file.call();
    CHECK(read.kernel == call.kernel);
    CHECK(read.signature == call.signature);
    CHECK(read.schema == call.schema);
    CHECK(read.inputs == call.inputs);
    CHECK(read.when == call.when);
    CHECK(read.attune == call.attune);
    CHECK(read.bytes == call.bytes);
    REQUIRE(read.ranges.size() == 4);
    CHECK(read.ranges[3].place == 4095);
    CHECK(read.ranges[1].bytes == 48);
    REQUIRE(read.arguments.size() == 4);
    CHECK(read.arguments[0].type == "std::span<float const>");
    CHECK(read.arguments[1].array->element == "f64");
    CHECK(read.arguments[1].array->lengths == std::vector<std::uint64_t>{2, 2, 4});
    CHECK(read.arguments[1].array->at == 12);
    CHECK(read.arguments[2].value == call.arguments[2].value);
    CHECK(!read.arguments[2].array);
    REQUIRE(read.arguments[3].targets.size() == 2);
    CHECK(read.arguments[3].targets[0].range == 3);
    CHECK(read.arguments[3].targets[1].range == captured_array::nowhere);
    CHECK(file.take_bytes() == some_bytes());
    captured_call odd = call;
    odd.kernel = "bad \xff name";
    CHECK(capture_reader::of_text(text_of(odd), "").call().kernel == odd.kernel);
}

TEST_CASE("a capture that was cut, or has one other bit, is refused wherever that is")
{
    std::string const text = text_of(some_call());
    for (std::size_t length = 0; length < text.size(); ++length)
        REQUIRE(!why_not(text.substr(0, length)).empty());
    CHECK(has(why_not(text + 'x'), "bytes instead of"));
    for (std::size_t at = 0; at < text.size(); ++at)
        for (unsigned bit = 0; bit < 8; ++bit) {
            std::string other = text;
            other[at] = static_cast<char>(static_cast<unsigned char>(other[at]) ^ (1u << bit));
            REQUIRE(!why_not(std::move(other)).empty());
        }
    attune::random_engine random(7);
    for (int i = 0; i < 2000; ++i) { // several bytes, a hole, a piece twice
        std::string other = text;
        std::size_t const at = random() % text.size();
        std::size_t const bytes = 1 + random() % 40;
        if (i % 3 == 0)
            other.erase(at, bytes);
        else if (i % 3 == 1)
            other.insert(at, text.substr(at, bytes));
        else
            for (std::size_t k = at; k < std::min(at + bytes, text.size()); ++k)
                other[k] = static_cast<char>(random());
        if (other != text) REQUIRE(!why_not(std::move(other)).empty());
    }
}

TEST_CASE("what contradicts itself is refused, although its checksum is right")
{
    auto const said = [text = text_of(some_call())](std::string const& from,
                                                    std::string const& to) {
        return why_not(with(text, from, to));
    };
    REQUIRE(said("\"N\":\"3\"", "\"N\":\"4\"").empty());
    std::string const outside = "an array lies outside of its memory";
    std::string const content = "the content of an array is not of its size";
    CHECK(has(said("[3],\"range\":0", "[4],\"range\":0"), outside));
    CHECK(has(said("[3],\"range\":0", "[2],\"range\":0"), content));
    CHECK(has(said("[3],\"range\":0", "[3],\"range\":9"), outside));
    CHECK(has(said("\"range\":0,\"offset\":0", "\"range\":0,\"offset\":1"), outside));
    CHECK(has(said("\"offset\":0,\"at\":0", "\"offset\":18446744073709551615,\"at\":0"), outside));
    CHECK(has(said("[2,2,4]", "[2,2,5]"), outside));
    CHECK(has(said("[2,2,4]", "[2,1,4]"), content));
    // Products that would wrap around to what is expected.
    CHECK(has(said("[2,2,4]", "[2,2,2305843009213693956]"), outside));
    CHECK(has(said("[2,2,4]", "[4611686018427387906,2,4]"), outside));
    CHECK(has(said("[2,2,4]", "[2,2]"), "lengths are not those of an array"));
    CHECK(has(said("[2,2,4]", "[2,-2,4]"), "a length is not a count"));
    CHECK(!said("[2,2,4]", "7").empty());
    CHECK(has(said("\"element_bytes\":4", "\"element_bytes\":0"), "an element has no bytes"));
    CHECK(has(said("\"at\":12", "\"at\":17"), content));
    CHECK(has(said("[64,12]", "[4096,12]"), "outside of a page"));
    CHECK(has(said("[64,12]", "[64,70368744177664]"), "too large"));
    CHECK(has(said("[64,12]", "[64]"), "no pair of counts"));
    // Whose pointers could be overwritten, or are fewer than their targets.
    CHECK(has(said("[3],\"range\":0", "[3],\"range\":2"), "shares its memory"));
    CHECK(has(said("[2],\"range\":2", "[1],\"range\":2"), "targets"));
    CHECK(has(said("[0,16]", "[1,16]"), "begins within a pointer"));
    CHECK(has(said("\"element\":\"pointer\",\"element_bytes\":8",
                   "\"element\":\"pointer\",\"element_bytes\":4"),
              "of another machine"));
    CHECK(has(said("\"03000000\"", "\"0300000\""), "half a byte"));
    CHECK(has(said("\"03000000\"", "\"0300000x\""), "hexadecimal"));
    CHECK(has(said("\"kernel\":", "\"kennel\":"), "kernel is missing"));
    CHECK(has(said("\"attune_capture\":1", "\"attune_capture\":2"),
              "a format that this release does not know"));
    CHECK(has(said("\"little\"", "\"big\""), "another order of bytes"));
    CHECK(has(said("\"inputs\":{", "\"inputs\":["), "no JSON"));
}

TEST_CASE("a file is read in two steps, and one that is none is refused")
{
    auto const [folder, path] = support::scratch_file("a.capture");
    captured_call large = some_call();
    large.ranges[0].bytes = 400'000; // more than a first look reads
    large.arguments[0].array->lengths = {100'000};
    large.arguments[0].array->bytes = 400'000;
    for (captured_array* const one :
         {&*large.arguments[1].array, &*large.arguments[3].array, large.arguments[3].targets.data(),
          &large.arguments[3].targets[1]})
        one->at += 400'000 - 12;
    large.bytes = 400'036;
    std::string bytes(large.bytes, 'x');
    support::write_file(path, capture_text(large, [&](std::string& to) { to += bytes; }));
    capture_reader file = capture_reader::of_file(path);
    CHECK(file.call().arguments.size() == 4);
    CHECK(file.take_bytes() == bytes);
    auto const refusal = [](std::string const& name) {
        try {
            static_cast<void>(capture_reader::of_file(name).take_bytes());
            return std::string();
        } catch (attune::error const& e) {
            CHECK(e.where() == name);
            return e.what_alone();
        }
    };
    capture_reader cut = capture_reader::of_file(path);
    std::filesystem::resize_file(path, 300'000);
    CHECK_THROWS_AS(static_cast<void>(cut.take_bytes()), attune::error);
    CHECK(has(refusal(path), "300000 bytes instead of"));
    CHECK(has(refusal(folder.file("none")), "No such file"));
    CHECK(has(refusal(folder.path()), "not a regular file"));
    std::string const pipe = folder.file("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(has(refusal(pipe), "not a regular file"));
    support::write_file(path, "");
    CHECK(has(refusal(path), "is no capture"));
    support::write_file(path, std::string(1 << 20, '\n'));
    CHECK(has(refusal(path), "is no capture"));
    support::write_file(path, "{\"attune_store\":2}\n");
    CHECK(has(refusal(path), "is no capture"));
}

TEST_CASE("a file that is replaced while it is read is read as it was")
{
    auto const [folder, path] = support::scratch_file("a.capture", text_of(some_call()));
    capture_reader file = capture_reader::of_file(path);
    support::write_file(folder.file("b.capture"), "another, and shorter");
    std::filesystem::rename(folder.file("b.capture"), path);
    CHECK(file.take_bytes() == some_bytes());
}
