// tests/cuda/primary_context.cpp : mirrors include/attune/cuda/primary_context.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/cuda/primary_context.hpp>
// and what the test needs besides
#include <attune/core/error.hpp>

#include <dlfcn.h>
#include <doctest/doctest.h>

#include "../support/set_variable.hpp"

namespace cuda = attune::detail::cuda;

namespace {

/// How many shares the scripted driver has given of a device's primary context.
int shares_of(int device)
{
    void* const library = ::dlopen(ATTUNE_SCRIPTED_DRIVER, RTLD_NOW | RTLD_LOCAL);
    auto* const ask = reinterpret_cast<int (*)(int)>(::dlsym(library, "attune_test_retained"));
    int const shares = ask(device);
    ::dlclose(library);
    return shares;
}

cuda::context current(cuda::driver const& of)
{
    cuda::context now = nullptr;
    CHECK(of.context_get_current(&now) == cuda::success);
    return now;
}

} // namespace

TEST_CASE("a primary context is shared while the object lives")
{
    auto const driver = cuda::open_driver(ATTUNE_SCRIPTED_DRIVER);
    CHECK(shares_of(1) == 0);
    {
        cuda::primary_context const one{driver, 1};
        cuda::primary_context const other{driver, 1};
        CHECK(one.handle() == other.handle());
        CHECK(one.of() == driver);
        CHECK(shares_of(1) == 2);
        CHECK(shares_of(0) == 0);
    }
    CHECK(shares_of(1) == 0);
}

TEST_CASE("a thread works in a context while the scope lives, then in the one it had")
{
    auto const driver = cuda::open_driver(ATTUNE_SCRIPTED_DRIVER);
    cuda::primary_context const first{driver, 0};
    cuda::primary_context const second{driver, 1};
    REQUIRE(current(*driver) == nullptr);
    {
        cuda::context_scope const outer{first};
        CHECK(current(*driver) == first.handle());
        {
            cuda::context_scope const inner{second};
            CHECK(current(*driver) == second.handle());
        }
        CHECK(current(*driver) == first.handle());
    }
    CHECK(current(*driver) == nullptr);
}

TEST_CASE("a device that is not there has no context")
{
    auto const driver = cuda::open_driver(ATTUNE_SCRIPTED_DRIVER);
    CHECK(attune_test::contains(attune_test::text_thrown_by<attune::error>(
                                    [&] { cuda::primary_context const none{driver, 5}; }),
                                "cuDeviceGet failed"));
}
