// Memory of the emulated device is shared with other processes by its handle.
#include <attune/cuda/driver.hpp>

#include <array>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "../support/emulated_acts.hpp"

namespace {

namespace cuda = attune::detail::cuda;
using attune_test::act;
using attune_test::emulated_device;
using attune_test::environment_value;
using attune_test::launch_act;

} // namespace

TEST_CASE("emulated: another process maps the same device memory by its handle")
{
    emulated_device device(ATTUNE_EMULATED_CUDA);
    auto const x = device.upload(std::vector<int>(1000, 7));
    cuda::ipc_handle handle{};
    REQUIRE(device.driver->ipc_get_memory(&handle, x) == 0);
    cuda::device_pointer here = 0;
    CHECK(device.driver->ipc_open_memory(&here, handle, 1) == 201); // not where it is from

    // A process of its own: a forked child has no driver, this one starts anew.
    std::array<int, 2> to_child{};
    REQUIRE(::pipe(to_child.data()) == 0);
    pid_t const child = ::fork();
    if (child == 0) {
        ::dup2(to_child[0], 0);
        ::execl("/proc/self/exe", "tests", "--no-skip", "--out=/dev/null",
                "--test-case=emulated ipc child", nullptr);
        ::_exit(127);
    }
    REQUIRE(::write(to_child[1], &handle, sizeof handle) == sizeof handle);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    ::close(to_child[0]);
    ::close(to_child[1]);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(device.download<int>(x, 1000) == std::vector<int>(1000, 8));
}

TEST_CASE("emulated ipc child" * doctest::skip())
{
    emulated_device device(ATTUNE_EMULATED_CUDA);
    cuda::ipc_handle handle{};
    REQUIRE(::read(0, &handle, sizeof handle) == sizeof handle);
    cuda::device_pointer x = 0;
    REQUIRE(device.driver->ipc_open_memory(&x, handle, 1) == 0);
    attune::callable const code = act(0, 1000, 1024);
    CHECK(device.launch(attune::device_variant_of(code), x, 1000) == 0);
    CHECK(device.driver->context_synchronize() == 0);
    CHECK(device.driver->memory_free(x) == cuda::invalid_value);
    CHECK(device.driver->ipc_close_memory(x) == 0);
}
