// tests/compile/same_code.cpp : clang_compiler makes the object that clang++ makes ahead of time
#include <attune/compile/clang.hpp>
#include <attune/compile/entry.hpp>
#include <attune/compile/process.hpp>
#include <attune/core/hash.hpp>

#include <fstream>
#include <sstream>

#include "../laws/compiler.hpp"

namespace {

attune::kernel_source product_source()
{
    return attune::source_text(
        "#include <cmath>\n#include <span>\n"
        "void product(std::span<float const> a, std::span<float const> b, std::span<float> c, int "
        "n)\n"
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
        "product.cpp");
}

attune::variant product_variant(int rows, int columns)
{
    attune::variant v = attune::variant_of<void(
        std::span<float const>, std::span<float const>, std::span<float>, int)>("product");
    v.macros = {{"ROWS", std::to_string(rows)}, {"COLUMNS", std::to_string(columns)}};
    return v;
}

/// The clang++ of the same major version; empty when it is not installed.
std::string same_clang()
{
    attune::clang_compiler const compiler;
    if (!compiler.notice().empty()) return {};
    std::string const identity = compiler.identity(); // "clang 19.1.7 ..."
    return attune::detail::find_program("clang++-" + identity.substr(6, identity.find('.') - 6));
}

/// The key of the object that a spawned clang++ makes; empty on an error.
std::string key_ahead_of_time(attune::variant const& v, std::vector<std::string> const& flags)
{
    attune::detail::temporary_folder const folder;
    attune::kernel_source const kernel = product_source();
    std::string const source = folder.write(kernel.path, attune::translation_unit(kernel, v));
    std::string const object = folder.path() + "/product.o";
    std::vector<std::string> command{same_clang()};
    command.insert(command.end(), flags.begin(), flags.end());
    for (std::string const& flag : attune::macro_flags(v))
        command.push_back(flag);
    command.insert(command.end(), {"-fPIC", "-c", source, "-o", object});
    attune::detail::process_result const run = attune::detail::run_process(command, 60);
    if (!run.succeeded()) FAIL(run.output);
    std::ifstream file(object, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return attune::content_hash{}.add(bytes.str()).hex();
}

std::string key_in_process(attune::variant const& v,
                           std::vector<std::string> const& flags,
                           bool precompile = true)
{
    attune::clang_options options;
    options.flags = flags;
    options.precompile_headers = precompile;
    return attune_laws::callable_of(attune::clang_compiler(options).compile(product_source(), v))
        .object_key;
}

bool usable()
{
    if (!same_clang().empty()) return true;
    MESSAGE("skipped: no module, or no clang++ of its version to compare with");
    return false;
}

} // namespace

TEST_CASE("the object equals the one that clang++ makes, byte for byte")
{
    if (!usable()) return;
    std::vector<std::string> const flags{"-O3", "-march=native", "-std=c++20"};
    for (auto const& [rows, columns] : {std::pair(2, 16), std::pair(4, 8), std::pair(7, 24)}) {
        attune::variant const v = product_variant(rows, columns);
        std::string const expected = key_ahead_of_time(v, flags);
        CHECK(key_in_process(v, flags, true) == expected);
        CHECK(key_in_process(v, flags, false) == expected);
    }
}

TEST_CASE("flags that choose the back end's passes are honoured as clang++ honours them")
{
    if (!usable()) return;
    attune::variant const v = product_variant(4, 16);
    for (std::vector<std::string> const& flags :
         {std::vector<std::string>{"-O2", "-ffast-math", "-std=c++20"},
          std::vector<std::string>{"-O3", "-march=native", "-fno-unroll-loops", "-std=c++20"},
          std::vector<std::string>{"-O0", "-std=c++20"}})
        CHECK(key_in_process(v, flags) == key_ahead_of_time(v, flags));
}

TEST_CASE("without the host's processor in the front end the object differs")
{
    if (!usable()) return;
    attune::variant const v = product_variant(4, 16);
    CHECK(key_in_process(v, {"-O3", "-std=c++20"}) !=
          key_ahead_of_time(v, {"-O3", "-march=native", "-std=c++20"}));
}
