// tests/core/posix/forever.cpp - what is kept, and how often. Libraries: tests/host/plugin.cpp
// SPDX-License-Identifier: MIT
#include <attune/core/posix/forever.hpp>

#include <doctest/doctest.h>
#include <memory>

TEST_CASE("what is kept is never destroyed, and kept once")
{
    static int destroyed = 0;
    struct counted {
        ~counted() { ++destroyed; }
    };
    auto object = std::make_shared<counted>();
    std::weak_ptr<counted> const alive = object;
    attune::detail::keep_forever(object);
    attune::detail::keep_forever(object);
    attune::detail::keep_forever(nullptr);
    CHECK(object.use_count() == 2); // this one, and one that is kept
    object.reset();
    CHECK(!alive.expired());
    CHECK(destroyed == 0);
}
