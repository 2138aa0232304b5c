// tests/support/opencl_gate.hpp - holds back the commands of an OpenCL queue until a test opens it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/opencl/driver.hpp>

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <utility>

namespace attune_test {

/// A user event that the next commands of a queue in order wait for. The destructor opens it.
class opencl_gate {
    using event = attune::detail::opencl::event;
    using result = attune::detail::opencl::result;

public:
    explicit opencl_gate(attune::detail::opencl::queue on)
    {
        namespace cl = attune::detail::opencl;
        void* const from = ::dlopen(cl::library_in_use()->path.c_str(), RTLD_NOW | RTLD_LOCAL);
        REQUIRE(from != nullptr);
        auto* const make =
            reinterpret_cast<event (*)(cl::context, result*)>(::dlsym(from, "clCreateUserEvent"));
        set_ = reinterpret_cast<result (*)(event, int)>(::dlsym(from, "clSetUserEventStatus"));
        REQUIRE((make != nullptr && set_ != nullptr));
        result said = 0;
        opened_ = make(cl::context_of(0), &said);
        REQUIRE(said == 0);
        event marker = nullptr;
        REQUIRE(cl::library_in_use()->enqueue_marker(on, 1, &opened_, &marker) == 0);
        cl::library_in_use()->release_event(marker);
    }
    ~opencl_gate() { open(); }
    opencl_gate(opencl_gate const&) = delete;
    opencl_gate& operator=(opencl_gate const&) = delete;

    void open()
    {
        if (event const one = std::exchange(opened_, nullptr)) {
            set_(one, 0); // CL_COMPLETE
            attune::detail::opencl::library_in_use()->release_event(one);
        }
    }

private:
    result (*set_)(event, int) = nullptr;
    event opened_ = nullptr;
};

} // namespace attune_test
