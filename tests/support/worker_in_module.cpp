// tests/support/worker_in_module.cpp : attune in a shared object that a program without attune opens, as an interpreter does.
// SPDX-License-Identifier: MIT
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/device/worker/worker_door.hpp>
#include <attune/measure/device/worker/worker_process.hpp>

#include <cstdio>
#include <exception>

extern "C" int attune_test_worker_answers();

/// 0: a worker was started and has answered.
int attune_test_worker_answers()
{
    namespace worker = attune::detail::worker;
    attune::hold_worker_door();
    try {
        worker::process started(worker::start_this_program);
        worker::message m;
        m.kind = worker::message_kind::first_run; // nothing has begun: it objects
        double const until_s = attune::system_clocks().wall_s() + 30;
        if (worker::send(started.socket(), m, until_s) != worker::transfer::done ||
            started.receive(m, until_s) != worker::transfer::done) {
            std::fprintf(stderr, "no answer; it wrote: %s\n", started.log().c_str());
            return 1;
        }
        return m.kind == worker::message_kind::thrown ? 0 : 2;
    } catch (std::exception const& thrown) {
        std::fprintf(stderr, "%s\n", thrown.what());
        return 3;
    }
}
