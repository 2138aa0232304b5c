// What a kernel does wrong on the emulated device stays for the rest of the process.
#include <attune/cuda/driver.hpp>

#include <csignal>
#include <doctest/doctest.h>
#include <vector>

#include "../support/child_status.hpp"
#include "../support/emulated_acts.hpp"

using attune_test::act;
using attune_test::emulated_device;
using attune_test::environment_value;
using attune_test::launch_act;

namespace {

namespace cuda = attune::detail::cuda;

} // namespace

TEST_CASE("emulated: a fault is told by the next call, and by every call after it")
{
    struct row {
        int mode;
        cuda::result error;
    };
    for (row const& r : {row{1, cuda::illegal_address}, row{2, cuda::launch_failed}, row{3, 710},
                         row{6, cuda::misaligned_address}, row{7, cuda::illegal_address}}) {
        CAPTURE(r.mode);
        emulated_device device(ATTUNE_EMULATED_CUDA);
        auto const x = device.upload(std::vector<int>(61));
        CHECK(launch_act(device, r.mode, x, 61) == 0);
        CHECK(device.driver->context_synchronize() == r.error);
        cuda::device_pointer more = 0;
        CHECK(device.driver->memory_allocate(&more, 4) == r.error);
        int value = 0;
        CHECK(device.driver->copy_to_host(&value, x, 4) == r.error);
    }
    emulated_device device(ATTUNE_EMULATED_CUDA);
    auto const x = device.upload(std::vector<int>(64));
    CHECK(launch_act(device, 0, x) == 0);
    CHECK(device.driver->context_synchronize() == 0);
}

TEST_CASE("emulated: a kernel that does not end leaves a stream that is never ready")
{
    environment_value const limit("ATTUNE_EMULATED_HANG_S", "0.05");
    for (int const mode : {4, 5}) {
        emulated_device device(ATTUNE_EMULATED_CUDA);
        auto const x = device.upload(std::vector<int>(64));
        cuda::event before{};
        cuda::event after{};
        REQUIRE(device.driver->event_create(&before, 0) == 0);
        REQUIRE(device.driver->event_create(&after, 0) == 0);
        REQUIRE(device.driver->event_record(before, nullptr) == 0);
        CHECK(launch_act(device, mode, x) == 0);
        REQUIRE(device.driver->event_record(after, nullptr) == 0);
        CHECK(device.driver->event_query(before) == 0);
        CHECK(device.driver->event_query(after) == cuda::not_ready);
        float ms = 0;
        CHECK(device.driver->event_elapsed_ms(&ms, before, after) == cuda::not_ready);
    }
}

TEST_CASE("emulated: the host cannot touch a device's memory, nor a kernel another device's")
{
    environment_value const devices("ATTUNE_EMULATED_DEVICES", "2");
    emulated_device device(ATTUNE_EMULATED_CUDA);
    auto const x = device.upload(std::vector<int>(64));
    int const status = attune_test::child_status([&] {
        ::signal(SIGSEGV, SIG_DFL);
        *reinterpret_cast<int volatile*>(x) = 1;
        return 0;
    });
    CHECK(WIFSIGNALED(status));

    cuda::context other{};
    REQUIRE(device.driver->primary_context_retain(&other, 1) == 0);
    REQUIRE(device.driver->context_set_current(other) == 0);
    int on = -1;
    CHECK(device.driver->pointer_get_attribute(&on, 9, x) == 0);
    CHECK(on == 0);
    CHECK(launch_act(device, 0, x) == 0);
    CHECK(device.driver->context_synchronize() == cuda::illegal_address);
}

TEST_CASE("emulated: a forked child has no driver")
{
    emulated_device device(ATTUNE_EMULATED_CUDA);
    int const status =
        attune_test::child_status([&] { return device.driver->context_synchronize(); });
    CHECK(WEXITSTATUS(status) == 3);
}
