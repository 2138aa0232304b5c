// tests/support/emulated_device.hpp - the emulated driver, a context on one of its devices, and launches without anything of attune's between.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/cuda_compiler.hpp>
#include <attune/core/outcome.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/driver.hpp>

#include <cstddef>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "set_variable.hpp"

namespace attune_test {

/// What ATTUNE_EMULATED_... says, while it lives.
using environment_value = set_variable;

/// A fresh emulated machine in this process, whatever became of the one before, with a context of
/// device `ordinal` current. Set the environment first.
class emulated_device {
public:
    explicit emulated_device(std::string const& path, int ordinal = 0)
        : library_(::dlopen(path.c_str(), RTLD_NOW))
    {
        REQUIRE(library_ != nullptr);
        reset();
        driver = attune::detail::cuda::open_driver(path);
        REQUIRE(driver->primary_context_retain(&context, ordinal) == 0);
        REQUIRE(driver->context_set_current(context) == 0);
    }
    ~emulated_device()
    {
        reset();
        ::dlclose(library_);
    }
    emulated_device(emulated_device const&) = delete;
    emulated_device& operator=(emulated_device const&) = delete;

    /// Everything is as at the start of a process: no context, no memory, no error.
    void reset() { reinterpret_cast<void (*)()>(::dlsym(library_, "attune_emulated_reset"))(); }
    /// Kernels launched since then.
    [[nodiscard]] unsigned long long launches() const
    {
        return reinterpret_cast<unsigned long long (*)()>(
            ::dlsym(library_, "attune_emulated_launches"))();
    }

    std::shared_ptr<attune::detail::cuda::driver const> driver{};
    attune::detail::cuda::context context{};

    template <class T>
    [[nodiscard]] attune::detail::cuda::device_pointer upload(std::vector<T> const& values)
    {
        attune::detail::cuda::device_pointer out = 0;
        REQUIRE(driver->memory_allocate(&out, values.size() * sizeof(T)) == 0);
        REQUIRE(driver->copy_to_device(out, values.data(), values.size() * sizeof(T)) == 0);
        return out;
    }
    template <class T>
    [[nodiscard]] std::vector<T> download(attune::detail::cuda::device_pointer from,
                                          std::size_t count)
    {
        std::vector<T> out(count);
        REQUIRE(driver->copy_to_host(out.data(), from, count * sizeof(T)) == 0);
        return out;
    }

    [[nodiscard]] attune::detail::cuda::function load(attune::device_code const& code)
    {
        attune::detail::cuda::module loaded{};
        attune::detail::cuda::function kernel{};
        REQUIRE(driver->module_load_data(&loaded, code.image.c_str()) == 0);
        REQUIRE(driver->module_get_function(&kernel, loaded, code.entry.c_str()) == 0);
        return kernel;
    }

    /// Loads and launches on the default stream.
    template <class... Args>
    attune::detail::cuda::result launch(attune::device_variant const& what, Args... arguments)
    {
        void* values[] = {&arguments...};
        auto const n = [](std::int64_t extent) { return static_cast<unsigned>(extent); };
        attune::launch_geometry const& g = what.launch;
        return driver->launch_kernel(load(what.code), n(g.grid[0]), n(g.grid[1]), n(g.grid[2]),
                                     n(g.block[0]), n(g.block[1]), n(g.block[2]), n(g.shared_bytes),
                                     nullptr, values, nullptr);
    }

private:
    void* library_;
};

/// The code, or a failed test that shows what the compiler said.
[[nodiscard]] inline attune::callable device_code_of(attune::compile_result result)
{
    if (auto const* const f = std::get_if<attune::failure>(&result)) FAIL(f->reason, "\n", f->log);
    return std::get<attune::callable>(std::move(result));
}

} // namespace attune_test
