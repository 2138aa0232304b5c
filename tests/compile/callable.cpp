// tests/compile/callable.cpp - compiled code that can be called, and what is known about it.
// SPDX-License-Identifier: MIT
#include <attune/core/callable.hpp>

#include <doctest/doctest.h>

namespace {
int plus_one(int x) { return x + 1; }
} // namespace

TEST_CASE("a callable is called with the signature it was compiled for")
{
    attune::callable code{.address = reinterpret_cast<void*>(&plus_one)};
    CHECK(code.as<int(int)>()(41) == 42);
}

TEST_CASE("copies share the code, which goes with the last one")
{
    bool unloaded = false;
    int dummy = 0;
    {
        attune::callable kept;
        {
            attune::callable first;
            first.code = std::shared_ptr<void const>(&dummy, [&](void const*) { unloaded = true; });
            kept = first;
        }
        CHECK_FALSE(unloaded);
    }
    CHECK(unloaded);
}
