// tests/package/parts.cpp - a program has the parts whose headers it includes, and no other that it links.
// SPDX-License-Identifier: MIT
#ifdef ATTUNE_TEST_PARTS
#include <attune/measure/energy.hpp>
#include <attune/tune/capture.hpp>
#include <attune/tune/recommended.hpp> // attune::lessons
#include <attune/tune/roofline.hpp>
#endif
#include <attune/core/offer.hpp>
#include <attune/measure/call_energy.hpp>
#include <attune/tune/dispatch/call_watch.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/loop/time_bounds.hpp>

#include <cstdio>

namespace {

#ifdef ATTUNE_TEST_PARTS
constexpr bool is_included = true;
#else
constexpr bool is_included = false;
#endif

template <class Offer>
int problems_of(char const* part)
{
    bool const is_there = attune::detail::offer_of_program<Offer>() != nullptr;
    if (is_there != is_included) std::printf("%s is %s\n", part, is_there ? "there" : "missing");
    return is_there == is_included ? 0 : 1;
}

} // namespace

int main()
{
    using namespace attune::detail;
    return problems_of<energy_maker>("attune::energy") +
           problems_of<call_watch>("attune::capture") +
           problems_of<time_bounds>("attune::roofline") +
           problems_of<tuning_lessons>("attune::lessons");
}
