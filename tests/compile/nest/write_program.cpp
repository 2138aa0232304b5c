// tests/compile/nest/write_program.cpp - written programs compute what their statements say.
// SPDX-License-Identifier: MIT
#include <attune/compile/nest/write_program.hpp>

#include <attune/compile/nest/detail/nest_prelude.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>
#include <attune/declare/nest/loop_program.hpp>
#include <attune/space/schedule/transform.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <iterator>
#include <string>
#include <sys/mman.h>
#include <utility>

#include "../../support/nest_examples.hpp"
#include "../../support/nest_runner.hpp"

namespace {

void add_plain(support::nest_batch& batch, attune::nest_description const& nest,
               std::vector<std::int64_t> inputs = {})
{
    batch.add(attune::plain_program(nest), nest, std::move(inputs));
}

/// The loop variables in order, with a '!' behind those whose loop the compiler may not unroll and
/// a
/// '*' behind those whose loop it must unroll.
std::string loops_of(attune::loop_program const& program)
{
    std::string const text = attune::write_program(program, {.has_prelude = false});
    std::string out;
    std::string before;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t const end = text.find('\n', at);
        std::size_t const begin = std::min(text.find_first_not_of(' ', at), end);
        std::string const line = text.substr(begin, end - begin);
        if (line.starts_with("for (long ")) {
            out += (out.empty() ? "" : " ") + line.substr(10, line.find(' ', 10) - 10);
            if (before == "VEC_NO_UNROLL") out += '!';
            if (before.starts_with("VEC_UNROLL")) out += '*';
        }
        before = line;
        at = end + 1;
    }
    return out;
}

/// The same with the innermost loop of the last statement in vectors.
attune::loop_program in_lanes(attune::nest_description const& nest, std::int64_t lanes)
{
    attune::loop_program program = attune::plain_program(nest);
    auto const last = static_cast<std::uint32_t>(program.loops.size() - 1);
    attune::vectorize(program, attune::split_loop(program, last, lanes));
    return program;
}

/// Y[i] = A[i] / B[i], or 7 where B[i] is 0; or a sum of such quotients.
attune::nest_description quotients(attune::element_type elements, attune::element_type numbers,
                                   bool is_chosen, bool is_used_twice)
{
    using enum attune::nest_op;
    support::nest_builder b("quotients");
    auto const i = b.axis("i", 13);
    auto const A = b.array("A", attune::nest_role::read, {b.of(i)}, elements);
    auto const B = b.array("B", attune::nest_role::read, {b.of(i)}, elements);
    auto const Y = b.array("Y", attune::nest_role::written, {b.of(i)}, numbers);
    auto const by = b.read(B, {b.at(i)}, false, numbers);
    auto value = b.op(divide, b.read(A, {b.at(i)}, false, numbers), by, numbers);
    if (is_used_twice) value = b.op(add, value, value, numbers);
    if (is_chosen)
        value = b.node({.code = select,
                        .type = numbers,
                        .first = b.op(equal, by, b.number(0, numbers), numbers),
                        .second = b.number(7, numbers),
                        .third = value});
    b.statement(Y, {i}, {}, attune::reduction::none, value, false, numbers);
    return b.out;
}

/// A softmax of rows whose result is stored in vectors, past the caches.
attune::loop_program streamed_softmax(std::int64_t rows, std::int64_t columns, std::int64_t lanes,
                                      std::uint32_t copies)
{
    attune::loop_program program = attune::plain_program(support::softmax(rows, columns));
    auto const last = static_cast<std::uint32_t>(program.loops.size() - 1);
    attune::vectorize(program, attune::split_loop(program, last, lanes));
    if (copies > 0) attune::unroll(program, last, copies);
    attune::stream_stores(program, static_cast<std::uint32_t>(program.blocks.size() - 1));
    return program;
}

} // namespace

TEST_CASE("the loops as stated compute what the statements say")
{
    if (support::nest_batch::compiler().empty()) {
        MESSAGE("skipped: there is no C++ compiler");
        return;
    }
    support::nest_batch batch;
    add_plain(batch, support::matmul(5, 7, 3));
    add_plain(batch, support::matmul(5, 7, 3, true));
    add_plain(batch, support::matmul_of_inputs(), {4, 6, 9});
    add_plain(batch, support::batched_int8(2, 3, 5, 7));
    add_plain(batch, support::convolution(9, 3, 4, 3, 2, 1));
    add_plain(batch, support::depthwise(6, 5));
    add_plain(batch, support::dense_gelu(4, 9, 5));
    add_plain(batch, support::softmax(3, 11));
    add_plain(batch, support::argmax(4, 9));
    CHECK(batch.run() == "");
}

TEST_CASE("names of arrays and axes that locals have, too, get a number in the text")
{
    if (support::nest_batch::compiler().empty()) {
        MESSAGE("skipped: there is no C++ compiler");
        return;
    }
    support::nest_batch batch;
    add_plain(batch, support::with_names(support::matmul(5, 7, 3), {"vec", "lane", "C_"}, {"i_"}));
    // `C` is a temporary, whose memory has a name; A has a row stride.
    attune::nest_description bias =
        support::with_names(support::dense_gelu(4, 9, 5), {"A", "A_stride", "C", "C_memory"});
    bias.arrays[0].has_row_stride = true;
    add_plain(batch, bias);
    add_plain(batch, support::with_names(support::argmax(4, 9), {"to_value_at", "to"}));
    add_plain(batch, support::with_names(support::softmax(3, 11), {"x_", "x_0", "x_1"}, {"x_2"}));
    CHECK(batch.run() == "");
    std::string const text = attune::write_program(attune::plain_program(
        support::with_names(support::softmax(3, 11), {"x_", "x_0", "x_1"}, {"x_2"})));
    CHECK(text.find("softmax(float const* __restrict x_3, ") != text.npos);
}

TEST_CASE("an array, or an input, may have the name of a value that is read twice")
{
    if (support::nest_batch::compiler().empty()) {
        MESSAGE("skipped: there is no C++ compiler");
        return;
    }
    // t0[i] = t1[i] * t1[i] + t2, with other numbers too: each node has the name of some argument.
    support::nest_batch batch;
    for (int first = 0; first < 5; ++first) {
        support::nest_builder b("squares");
        auto const name = [&](int n) { return 't' + std::to_string((first + n) % 5); };
        auto const i = b.axis("i", 13);
        auto const y = b.array(name(0), attune::nest_role::written, {b.of(i)});
        auto const x = b.array(name(1), attune::nest_role::read, {b.of(i)});
        b.out.inputs.push_back({name(2), attune::element_type::f32});
        auto const one = b.read(x, {b.at(i)});
        auto const added =
            b.node({.code = attune::nest_op::input, .type = attune::element_type::f32, .input = 0});
        auto const square = b.op(attune::nest_op::multiply, one, one);
        b.statement(y, {i}, {}, attune::reduction::none,
                    b.op(attune::nest_op::add, square, b.op(attune::nest_op::add, square, added)));
        add_plain(batch, b.out, {3});
        batch.add(in_lanes(b.out, 4), b.out, {3});
    }
    CHECK(batch.run() == "");
}

TEST_CASE("a quotient that no choice takes does not trap, nor does one of lanes behind an end")
{
    if (support::nest_batch::compiler().empty()) {
        MESSAGE("skipped: there is no C++ compiler");
        return;
    }
    using enum attune::element_type;
    support::nest_batch batch;
    for (bool const is_chosen : {false, true})
        for (bool const is_used_twice : {false, true})
            for (auto const& [elements, numbers] :
                 {std::pair{i32, i32}, {i8, i32}, {i64, i64}, {u32, u32}}) {
                auto const nest = quotients(elements, numbers, is_chosen, is_used_twice);
                add_plain(batch, nest);
                for (std::int64_t const lanes : {4, 8, 16})
                    batch.add(in_lanes(nest, lanes), nest);
            }
    // The least number divided by -1, where a choice takes another number.
    for (auto const& [type, least] : {std::pair{i32, -0x1p31}, {i64, -0x1p63}}) {
        attune::nest_description nest = quotients(type, type, true, true);
        attune::nest_node& divided = nest.nodes[1];
        REQUIRE(divided.code == attune::nest_op::access);
        divided = {.code = attune::nest_op::literal, .type = type, .literal = least};
        for (attune::nest_node& node : nest.nodes) // 7 where B[i] is -1
            if (node.code == attune::nest_op::literal && node.literal == 0) node.literal = -1;
        add_plain(batch, nest);
        batch.add(in_lanes(nest, 8), nest);
    }
    CHECK(batch.run() == "");
    // A divisor that is known needs no test.
    attune::nest_description halves = quotients(i32, i32, false, false);
    halves.nodes[0] = {.code = attune::nest_op::literal, .type = i32, .literal = 2};
    std::string const text =
        attune::write_program(attune::plain_program(halves), {.has_prelude = false});
    CHECK(text.find("A[i_0] / 2;") != text.npos);
}

TEST_CASE("the first of the largest numbers is no NaN, and 0 where there is no other number")
{
    if (support::nest_batch::compiler().empty()) {
        MESSAGE("skipped: there is no C++ compiler");
        return;
    }
    // Four of seventeen numbers that an argmax reads are NaN. A third of these rows begins with
    // one.
    support::nest_batch batch;
    for (std::int64_t const columns : {0, 1, 2, 3, 9}) {
        add_plain(batch, support::argmax(40, columns));
        add_plain(batch,
                  support::with_elements(support::argmax(40, columns), attune::element_type::f64,
                                         attune::element_type::f32));
    }
    CHECK(batch.run() == "");
}

TEST_CASE("the absolute value of -0.0 is 0.0")
{
    if (support::nest_batch::compiler().empty()) {
        MESSAGE("skipped: there is no C++ compiler");
        return;
    }
    support::nest_batch batch;
    for (auto const type : {attune::element_type::f32, attune::element_type::f64}) {
        support::nest_builder b("signs");
        auto const i = b.axis("i", 203);
        auto const X = b.array("X", attune::nest_role::read, {b.of(i)}, type);
        auto const Y = b.array("Y", attune::nest_role::written, {b.of(i)}, type);
        auto const size = b.op(attune::nest_op::absolute, b.read(X, {b.at(i)}, false, type),
                               attune::no_index, type);
        b.statement(Y, {i}, {}, attune::reduction::none,
                    b.op(attune::nest_op::divide, b.number(1, type), size, type), false, type);
        add_plain(batch, b.out);
        batch.add(in_lanes(b.out, 8), b.out);
    }
    CHECK(batch.run() == "");
}

TEST_CASE("an element is where 64 bits say, whatever the types of extents")
{
    std::string const by = support::nest_batch::compiler();
    if (by.empty()) {
        MESSAGE("skipped: there is no C++ compiler");
        return;
    }
    // Y[i] = X[2][7][i]: 2 h w does not fit in an int, with extents of int or with constants.
    constexpr std::int64_t side = 32768;
    auto const last_plane = [](bool is_constant) {
        support::nest_builder b(is_constant ? "of_constants" : "of_inputs");
        auto const i = b.axis("i", 5);
        attune::nest_extent h{side, attune::no_index};
        if (!is_constant) {
            b.out.inputs.push_back({"h", attune::element_type::i32});
            h = {0, 0};
        }
        auto const X = b.array("X", attune::nest_role::read, {{3, attune::no_index}, h, h},
                               attune::element_type::u8);
        auto const Y =
            b.array("Y", attune::nest_role::written, {b.of(i)}, attune::element_type::u8);
        b.statement(Y, {i}, {}, attune::reduction::none,
                    b.read(X, {{{}, 2}, {{}, 7}, b.at(i)}, false, attune::element_type::i32));
        return attune::plain_program(b.out);
    };
    std::string const text = attune::write_program(last_plane(true)) +
                             attune::write_program(last_plane(false), {.has_prelude = false});
    attune::detail::temporary_folder const folder;
    std::string const object = folder.path() + "/planes.so";
    auto const done =
        attune::detail::run_process({by, "-std=c++17", "-O1", "-w", "-shared", "-fPIC",
                                     folder.write("planes.cpp", text), "-o", object},
                                    60);
    REQUIRE_MESSAGE(done.succeeded(), done.output);
    void* const library = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != nullptr);
    auto* const of_constants = reinterpret_cast<void (*)(unsigned char const*, unsigned char*)>(
        ::dlsym(library, "of_constants"));
    auto* const of_inputs = reinterpret_cast<void (*)(unsigned char const*, unsigned char*, int)>(
        ::dlsym(library, "of_inputs"));
    REQUIRE((of_constants != nullptr));
    REQUIRE((of_inputs != nullptr));
    // Memory that has no pages until they are written. Offsets of 32 bits lie before X.
    constexpr std::size_t bytes = std::size_t{3} * side * side;
    void* const memory = ::mmap(nullptr, 2 * bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        MESSAGE("skipped: there are no 6 GiB of addresses");
        return;
    }
    auto* const x = static_cast<unsigned char*>(memory) + bytes;
    std::string const want = "abcde";
    std::copy(want.begin(), want.end(), x + (2 * side + 7) * side);
    unsigned char y[5] = {};
    of_constants(x, y);
    CHECK(std::string(std::begin(y), std::end(y)) == want);
    std::fill(std::begin(y), std::end(y), static_cast<unsigned char>(0));
    of_inputs(x, y, static_cast<int>(side));
    CHECK(std::string(std::begin(y), std::end(y)) == want);
    ::munmap(memory, 2 * bytes);
    ::dlclose(library);
}

TEST_CASE("a program's text stands alone and names its arguments")
{
    std::string const text = attune::write_program(attune::plain_program(support::matmul(2, 3, 4)));
    CHECK(
        text.find("extern \"C\" void matmul(float const* __restrict A, float const* __restrict B, "
                  "float* __restrict C)") != std::string::npos);
    CHECK(text.find("#include") == std::string::npos);
}

TEST_CASE(
    "the compiler may unroll loops with few steps in all, and none around a loop that stays one")
{
    CHECK(loops_of(attune::plain_program(support::matmul(2, 2, 4))) == "i_0 j_0 k_0");
    CHECK(loops_of(attune::plain_program(support::matmul(3, 2, 16))) == "i_0! j_0 k_0");
    CHECK(loops_of(attune::plain_program(support::matmul(3, 2, 17))) == "i_0! j_0! k_0");
    CHECK(loops_of(attune::plain_program(support::matmul(9, 2, 9))) == "i_0! j_0 k_0");
    CHECK(loops_of(attune::plain_program(support::matmul_of_inputs())) == "i_0! j_0! k_0");
    attune::loop_program program = attune::plain_program(support::matmul(2, 2, 16));
    auto const k = static_cast<std::uint32_t>(program.loops.size() - 1);
    attune::unroll(program, k, 4);
    CHECK(loops_of(program) == "i_0! j_0! k_0*"); // 4 steps of 4 are a loop
    attune::unroll(program, k, 16);
    CHECK(loops_of(program) == "i_0! j_0 k_0*");
    program = attune::plain_program(support::matmul(2, 64, 2));
    auto const j = static_cast<std::uint32_t>(program.loops.size() - 2);
    attune::unroll(program, k);
    CHECK(loops_of(program) == "i_0! j_0! k_0*"); // around a tile
    CHECK(program.loops[j].kind == attune::loop_kind::serial);
}

TEST_CASE("results that are stored past the caches are right for all extents, by every compiler")
{
    support::nest_batch batch;
    for (std::int64_t const lanes : {2, 4, 16, 64})
        for (std::int64_t const columns : {1, 2, 15, 16, 17, 48, 64, 65, 131})
            batch.add(streamed_softmax(3, columns, lanes, columns % 2 == 0 ? 2 : 0),
                      support::softmax(3, columns));
    int ran = 0;
    for (char const* const by : {"clang++-19", "clang++", "g++"}) {
        if (attune::detail::find_program(by).empty()) continue;
        ++ran;
        CHECK(batch.run({"-O2", "-march=native", "-w"}, by) == "");
    }
    if (ran == 0) MESSAGE("skipped: there is no C++ compiler");
}

TEST_CASE("what is stored past the caches does not depend on where arrays begin")
{
    std::string const by = support::nest_batch::compiler();
    if (by.empty()) {
        MESSAGE("skipped: there is no C++ compiler");
        return;
    }
    constexpr std::size_t count = 5 * 67;
    attune::detail::temporary_folder const folder;
    std::string text = attune::write_program(streamed_softmax(5, 67, 16, 2));
    CHECK(text.find("vec::stream(Y") != std::string::npos);
    CHECK(text.find("vec::end_stream();") != std::string::npos);
    attune::loop_program plain = streamed_softmax(5, 67, 16, 2);
    plain.blocks.back().is_streamed = false;
    text += attune::write_program(plain, {.function = "cached", .has_prelude = false});
    std::string const object = folder.path() + "/streams.so";
    auto const done =
        attune::detail::run_process({by, "-std=c++17", "-O2", "-march=native", "-w", "-shared",
                                     "-fPIC", folder.write("streams.cpp", text), "-o", object},
                                    60);
    REQUIRE_MESSAGE(done.succeeded(), done.output);
    void* const library = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != nullptr);
    using function = void(float const*, float*);
    auto* const streamed = reinterpret_cast<function*>(::dlsym(library, "softmax"));
    auto* const cached = reinterpret_cast<function*>(::dlsym(library, "cached"));
    REQUIRE((streamed != nullptr));
    REQUIRE((cached != nullptr));
    alignas(64) static float x[count];
    alignas(64) static float y[count + 64];
    alignas(64) static float want[count];
    for (std::size_t i = 0; i < count; ++i)
        x[i] = static_cast<float>(i * 37 % 101) / 16 - 3;
    cached(x, want);
    for (std::size_t offset = 0; offset <= 16; ++offset) { // a cache line is 16 floats
        std::fill(std::begin(y), std::end(y), -1.0f);
        streamed(x, y + offset);
        CHECK(std::equal(want, want + count, y + offset));
        CHECK(std::all_of(y, y + offset, [](float v) { return v == -1.0f; }));
        CHECK(std::all_of(y + offset + count, std::end(y), [](float v) { return v == -1.0f; }));
    }
    ::dlclose(library);
}

TEST_CASE("threads make what they stored past the caches visible before they end")
{
    attune::loop_program program = streamed_softmax(4, 32, 16, 0);
    attune::parallelize(program, static_cast<std::uint32_t>(program.loops.size() - 3));
    std::string const text = attune::write_program(program, {.has_prelude = false});
    std::size_t const loop = text.find("#pragma omp parallel for");
    std::size_t const store = text.find("vec::stream(");
    std::size_t const end = text.find("vec::end_stream();");
    REQUIRE(loop != std::string::npos);
    CHECK(loop < store);
    CHECK(store < end);
    CHECK(end < text.find("    }\n", end)); // before the parallel loop's end
    CHECK(text.find("vec::end_stream();", end + 1) != std::string::npos); // and the function's
}

TEST_CASE("only results that are computed once are stored past the caches")
{
    attune::loop_program program = attune::plain_program(support::softmax(3, 5));
    for (std::uint32_t const block : {0U, 1U, 2U}) // a maximum, a temporary, a sum
        CHECK_THROWS_AS(attune::stream_stores(program, block), attune::error);
    attune::stream_stores(program, 3);
    CHECK(program.blocks[3].is_streamed);
}
