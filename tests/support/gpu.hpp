// tests/support/gpu.hpp - a real GPU for tests, and what its driver says that attune does not ask.
// SPDX-License-Identifier: MIT
//
// A case begins with `gpu const* const g = gpu_here(); if (g == nullptr) return;`: where there is
// none it is skipped with the reason. NVRTC and NVIDIA's own driver have to be there: a driver that
// lacks what every libcuda exports, as an emulated or scripted one does, is not taken for one.
#pragma once

#include <attune/compile/cuda_compiler.hpp>
#include <attune/compile/nvrtc.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/cuda/primary_context.hpp>

#include <csignal>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

namespace attune_test {

/// Functions of libcuda that attune does not call: second opinions on what it works out itself.
struct driver_opinion {
    attune::detail::cuda::result (*occupancy)(int* blocks, attune::detail::cuda::function of,
                                              int threads, std::size_t dynamic_shared_bytes);
    attune::detail::cuda::result (*function_attribute)(int* value, int which,
                                                       attune::detail::cuda::function of);
    attune::detail::cuda::result (*export_table)(void const** table, void const* id);

    /// The name of the first that is missing; empty when this is NVIDIA's driver.
    [[nodiscard]] std::string take_from(void* library)
    {
        std::string missing;
        auto const take = [&]<class Function>(char const* name, Function*& to) {
            to = reinterpret_cast<Function*>(::dlsym(library, name));
            if (to == nullptr && missing.empty()) missing = name;
        };
        take("cuOccupancyMaxActiveBlocksPerMultiprocessor", occupancy);
        take("cuFuncGetAttribute", function_attribute);
        take("cuGetExportTable", export_table);
        return missing;
    }
};

/// Device 0, which every test may use, and no cache: what is compiled is compiled.
inline attune::nvrtc_options gpu_compiling()
{
    attune::nvrtc_options options;
    options.device = 0;
    options.cache.enabled = false;
    return options;
}

struct gpu {
    attune::nvrtc_compiler compiler{gpu_compiling()};
    std::shared_ptr<attune::detail::cuda::driver const> driver{};
    driver_opinion opinion{};
    std::unique_ptr<attune::detail::cuda::primary_context> context{}; ///< the test's own

    [[nodiscard]] attune::device_limits const& limits() const { return compiler.target().limits; }
    [[nodiscard]] int devices() const
    {
        int count = 0;
        return driver->device_get_count(&count) == 0 ? count : 0;
    }
    /// Whether this process can still use the device: nothing that was launched has failed, and
    /// what is copied there comes back.
    [[nodiscard]] bool is_alive() const
    {
        attune::detail::cuda::context_scope const here{*context};
        int const sent = 41;
        int got = 0;
        attune::detail::cuda::device_pointer at = 0;
        if (driver->context_synchronize() != 0 || driver->memory_allocate(&at, sizeof sent) != 0)
            return false;
        bool const moved = driver->copy_to_device(at, &sent, sizeof sent) == 0 &&
                           driver->copy_to_host(&got, at, sizeof got) == 0;
        return driver->memory_free(at) == 0 && moved && got == sent;
    }
    [[nodiscard]] std::size_t free_bytes() const
    {
        attune::detail::cuda::context_scope const here{*context};
        std::size_t unused = 0;
        std::size_t all = 0;
        REQUIRE(driver->memory_get_info(&unused, &all) == 0);
        return unused;
    }

    /// Code with a launch, or a failed test that shows what NVRTC said.
    [[nodiscard]] attune::device_variant compile(std::string const& text,
                                                 attune::compile_request const& v) const
    {
        attune::compile_result const made =
            compiler.compile(attune::source_text(text, v.function + ".cu"), v);
        if (auto const* const why = std::get_if<attune::failure>(&made))
            FAIL(v.function << " did not compile: " << why->reason << '\n' << why->log);
        return attune::device_variant_of(std::get<attune::callable>(made));
    }
};

namespace gpu_detail {

inline char const* hung_case = "";

extern "C" inline void attune_test_case_hung(int /*signal*/)
{
    char const said[] = "\nFAILED: this case hung: ";
    ssize_t ignored = ::write(2, said, sizeof said - 1);
    ignored = ::write(2, hung_case, std::strlen(hung_case));
    ignored = ::write(2, "\n", 1);
    (void)ignored;
    ::_exit(9);
}

/// @return  or why there is none
inline std::variant<std::unique_ptr<gpu>, std::string> look_for_gpu()
{
    auto found = std::make_unique<gpu>();
    if (std::string why = found->compiler.missing(); !why.empty()) return why;
    found->driver = found->compiler.target().driver;
    std::string const& path = found->driver->path;
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) return "the driver " + path + " cannot be asked again";
    if (::dlsym(library, "attune_emulated_reset") != nullptr) return path + " is an emulation";
    std::string const missing = found->opinion.take_from(library);
    if (!missing.empty()) return path + " is not NVIDIA's driver: it has no " + missing;
    found->context = std::make_unique<attune::detail::cuda::primary_context>(found->driver, 0);
    return found;
}

} // namespace gpu_detail

/// Null, with a message, where there is no GPU. Ends the program when the case takes longer than
/// `limit_s`: whatever a device does, no test waits for ever.
inline gpu const* gpu_here(unsigned limit_s = 120)
{
    static auto* const found = // for ever: drivers do not like to be called when a program ends
        new std::variant<std::unique_ptr<gpu>, std::string>{gpu_detail::look_for_gpu()};
    if (auto const* const why = std::get_if<std::string>(found)) {
        MESSAGE("skipped: no GPU: " << *why);
        return nullptr;
    }
    gpu_detail::hung_case = doctest::getContextOptions()->currentTest->m_name;
    std::signal(SIGALRM, gpu_detail::attune_test_case_hung);
    ::alarm(limit_s);
    return std::get<std::unique_ptr<gpu>>(*found).get();
}

/// A launch in x alone, and macros.
inline attune::compile_request gpu_variant(std::string const& function,
                                           std::vector<std::string> arguments, std::int64_t grid,
                                           std::int64_t block)
{
    attune::compile_request v;
    v.function = function;
    v.result = "void";
    v.arguments = std::move(arguments);
    v.launch.grid = {grid, 1, 1};
    v.launch.block = {block, 1, 1};
    return v;
}

} // namespace attune_test
