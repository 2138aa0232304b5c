// tests/compile/same_code.cpp - clang_compiler makes the object that clang++ makes ahead of time.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/compile/system/libraries.hpp>
#include <attune/compile/system/object_key.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/compile/system/shared_code.hpp>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "../laws/compiler.hpp"
#include "../support/rounds.hpp"

// object_key covers every section that is loaded, .text first, and its relocations: two equal keys
// mean equal bytes.
namespace {

using strings = std::vector<std::string>;

/// A kernel and some configurations of it.
struct subject {
    attune::kernel_source kernel;
    std::vector<attune::compile_request> variants;
};

/// @param rows  the values of the names, with blanks between
template <class Signature>
subject make_subject(attune::kernel_source kernel, std::string const& function,
                     strings const& names, strings const& rows)
{
    subject out{std::move(kernel), {}};
    for (std::string const& row : rows) {
        attune::compile_request v = attune::variant_of<Signature>(function);
        std::istringstream values(row);
        std::string value;
        for (std::string const& name : names)
            if (values >> value) v.macros.push_back({name, value});
        out.variants.push_back(std::move(v));
    }
    return out;
}

subject product()
{
    using signature = void(std::span<float const>, std::span<float const>, std::span<float>, int);
    return make_subject<signature>(
        attune::source_text(
            "#include <cmath>\n#include <span>\n"
            "void product(std::span<float const> a, std::span<float const> b, std::span<float> c, "
            "int n)\n"
            "{\n"
            "    float sums[ROWS][COLUMNS] = {};\n"
            "    for (int k = 0; k < n; ++k)\n"
            "        for (int i = 0; i < ROWS; ++i)\n"
            "            for (int j = 0; j < COLUMNS; ++j)\n"
            "                sums[i][j] += a[k * ROWS + i] * b[k * COLUMNS + j];\n"
            "    for (int i = 0; i < ROWS; ++i)\n"
            "        for (int j = 0; j < COLUMNS; ++j)\n"
            "            c[i * COLUMNS + j] += std::sin(sums[i][j]);\n"
            "}\n",
            "product.cpp"),
        "product", {"ROWS", "COLUMNS"},
        {"2 16", "4 8", "7 24", "1 1", "3 5", "4 16", "6 16", "8 8", "1 64", "5 32"});
}

subject sgemm()
{
    using signature = void(std::span<float const>, std::span<float const>, std::span<float>, int);
    return make_subject<signature>(
        attune::source_file("../../examples/sgemm.kernel.cpp"), "sgemm",
        {"TILE_M", "TILE_N", "TILE_K", "UNROLL", "ORDER"},
        {"16 16 16 1 {0,1,2}", "8 8 8 8 {0,2,1}", "32 16 64 2 {1,0,2}", "64 32 32 4 {1,2,0}",
         "64 64 64 1 {2,0,1}", "128 8 256 4 {2,1,0}", "256 16 8 2 {0,1,2}", "8 64 128 1 {0,2,1}",
         "16 8 32 8 {1,0,2}", "32 32 16 2 {2,1,0}"});
}

subject stencil()
{
    return make_subject<void(double const*, double*, int, int)>(
        attune::source_text(
            "#include <algorithm>\n"
            "extern \"C\" void stencil(double const* in, double* out, int height, int width)\n"
            "{\n"
            "    for (int top = 1; top < height - 1; top += TILE_Y)\n"
            "        for (int left = 1; left < width - 1; left += TILE_X)\n"
            "            for (int y = top; y < std::min(top + TILE_Y, height - 1); ++y)\n"
            "                for (int x = left; x < std::min(left + TILE_X, width - 1); ++x) {\n"
            "                    double sum = 0;\n"
            "                    for (int j = -RADIUS; j <= RADIUS; ++j)\n"
            "                        for (int i = -RADIUS; i <= RADIUS; ++i)\n"
            "                            sum += in[(y + j) * width + x + i];\n"
            "                    out[y * width + x] = sum / ((2 * RADIUS + 1) * (2 * RADIUS + "
            "1));\n"
            "                }\n"
            "}\n",
            "stencil.cpp"),
        "stencil", {"TILE_Y", "TILE_X", "RADIUS"},
        {"1 8 1", "2 16 1", "4 32 1", "8 64 1", "16 128 1", "1 1024 1", "64 64 0", "4 8 2",
         "8 16 2", "3 7 3"});
}

/// Branches with a common end, which only the highest code-generation level copies into each.
subject interpreter()
{
    return make_subject<void(unsigned char const*, long*, int)>(
        attune::source_text("void interpret(unsigned char const* code, long* out, int n)\n"
                            "{\n"
                            "    long a = 0, b = 1;\n"
                            "    for (int i = 0; i < n; ++i) {\n"
                            "        switch (code[i]) {\n"
                            "        case 0: a += b; break;\n"
                            "        case 1: a -= b; break;\n"
                            "        case 2: b += STEP; break;\n"
                            "        case 3: a = out[b & 7]; break;\n"
                            "        case 4: out[a & 7] = b; break;\n"
                            "        case 5: a /= b | 1; break;\n"
                            "        case 6: b = a * a; break;\n"
                            "        case 7: a >>= b & 7; break;\n"
                            "        }\n"
                            "        out[8] += a ^ b;\n"
                            "    }\n"
                            "}\n",
                            "interpret.cpp"),
        "interpret", {"STEP"}, {"1", "2", "3"});
}

/// The clang++ of the same major version; empty when it is not installed.
std::string same_clang()
{
    attune::clang_compiler const compiler;
    if (!compiler.notice().empty()) return {};
    std::string const identity = compiler.identity(); // "clang 19.1.7 ..."
    return attune::detail::find_program("clang++-" + identity.substr(6, identity.find('.') - 6));
}

/// The key of the object that a spawned clang++ makes. Each command runs once, however many cases
/// ask for its object.
std::string key_ahead_of_time(attune::kernel_source const& kernel, attune::compile_request const& v,
                              strings const& flags)
{
    static std::map<std::vector<strings>, std::string> made;
    std::string& key = made[{flags, attune::macro_flags(v), {attune::translation_unit(kernel, v)}}];
    if (!key.empty()) return key;
    attune::detail::temporary_folder const folder;
    std::string const source = folder.write("kernel.cpp", attune::translation_unit(kernel, v));
    (void)folder.write("attune/tunable.hpp", attune::detail::tunable_overlay);
    std::string const object = folder.path() + "/kernel.o";
    strings command{same_clang()};
    command.insert(command.end(), flags.begin(), flags.end());
    for (std::string const& flag : attune::macro_flags(v))
        command.push_back(flag);
    command.insert(command.end(), {"-I" + folder.path(), "-fPIC", "-c", source, "-o", object});
    attune::detail::process_result const run = attune::detail::run_process(command, 60);
    if (!run.succeeded()) FAIL(run.output);
    std::ifstream file(object, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    // As a callable's: with the libraries that the code calls.
    return key = attune::detail::key_with_callees(attune::detail::object_key(bytes.str()),
                                                  attune::detail::outside_names(bytes.str()),
                                                  attune::detail::loaded_service_libraries());
}

attune::clang_compiler compiler_with(strings const& flags, bool precompile = true)
{
    return attune::clang_compiler({.flags = flags, .precompile_headers = precompile});
}

std::string key_in_process(attune::kernel_source const& kernel, attune::compile_request const& v,
                           attune::clang_compiler const& compiler)
{
    return attune_laws::callable_of(compiler.compile(kernel, v)).object_key;
}

bool usable()
{
    if (!same_clang().empty()) return true;
    MESSAGE("skipped: no module, or no clang++ of its version to compare with");
    return false;
}

strings const host_flags{"-O3", "-march=native", "-std=c++20"};

void check_all(subject const& s)
{
    CAPTURE(s.kernel.path);
    attune::clang_compiler const with_parsed_headers = compiler_with(host_flags, true);
    attune::clang_compiler const without = compiler_with(host_flags, false);
    std::size_t const apart = attune_test::rounds(std::size_t{4}, std::size_t{1});
    for (std::size_t i = 0; i < s.variants.size(); i += apart) {
        attune::compile_request const& v = s.variants[i];
        std::string const expected = key_ahead_of_time(s.kernel, v, host_flags);
        CHECK(key_in_process(s.kernel, v, with_parsed_headers) == expected);
        CHECK(key_in_process(s.kernel, v, without) == expected);
    }
}

} // namespace

TEST_CASE("kernels become the objects that clang++ makes, byte for byte")
{
    if (!usable()) return;
    for (subject const& s : {product(), sgemm(), stencil(), interpreter()})
        check_all(s);
}

TEST_CASE("flags that choose the back end's passes are honoured as clang++ honours them")
{
    if (!usable()) return;
    subject const s = product();
    for (strings const& flags : {strings{"-O2", "-ffast-math", "-std=c++20"},
                                 strings{"-O3", "-march=native", "-fno-unroll-loops", "-std=c++20"},
                                 strings{"-O0", "-std=c++20"}})
        CHECK(key_in_process(s.kernel, s.variants[5], compiler_with(flags)) ==
              key_ahead_of_time(s.kernel, s.variants[5], flags));
#if defined(__x86_64__)
    // For this processor the two highest code-generation levels differ.
    strings const flags{"-O3", "-march=znver3", "-std=c++20"};
    subject const other = interpreter();
    CHECK(key_in_process(other.kernel, other.variants[0], compiler_with(flags)) ==
          key_ahead_of_time(other.kernel, other.variants[0], flags));
#endif
}
