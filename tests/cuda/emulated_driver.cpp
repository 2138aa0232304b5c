// The emulated driver refuses, remembers and times as a real one does.
#include <attune/cuda/device.hpp>

#include <array>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "../support/emulated_acts.hpp"

using attune_test::act;
using attune_test::emulated_device;
using attune_test::environment_value;
using attune_test::launch_act;

namespace {

namespace cuda = attune::detail::cuda;

} // namespace

TEST_CASE("emulated: memory ends, and says how much is left")
{
    environment_value const memory("ATTUNE_EMULATED_MEMORY", "1000000");
    emulated_device device(ATTUNE_EMULATED_CUDA);
    cuda::device_pointer a = 0;
    cuda::device_pointer b = 0;
    CHECK(device.driver->memory_allocate(&a, 600000) == 0);
    CHECK(a % 256 == 0);
    CHECK(device.driver->memory_allocate(&b, 600000) == cuda::out_of_memory);
    std::size_t left = 0;
    std::size_t total = 0;
    CHECK(device.driver->memory_get_info(&left, &total) == 0);
    CHECK(left == 400000);
    CHECK(total == 1000000);
    CHECK(device.driver->memory_free(a) == 0);
    CHECK(device.driver->memory_free(a) == cuda::invalid_value);
    CHECK(device.driver->memory_allocate(&b, 600000) == 0);
    cuda::device_pointer base = 0;
    std::size_t bytes = 0;
    CHECK(device.driver->memory_get_address_range(&base, &bytes, b + 599999) == 0);
    CHECK(base == b);
    CHECK(bytes == 600000);
    CHECK(device.driver->memory_get_address_range(&base, &bytes, b + 600000) == 500);
    int here = 0;
    CHECK(device.driver->pointer_get_attribute(
              &here, 9, reinterpret_cast<cuda::device_pointer>(&bytes)) == cuda::invalid_value);
}

TEST_CASE("emulated: events tell the time that kernels say they take")
{
    emulated_device device(ATTUNE_EMULATED_CUDA);
    auto const x = device.upload(std::vector<int>(64));
    cuda::event begin{};
    cuda::event end{};
    REQUIRE(device.driver->event_create(&begin, 0) == 0);
    REQUIRE(device.driver->event_create(&end, 0) == 0);
    float ms = -1;
    CHECK(device.driver->event_elapsed_ms(&ms, begin, end) == 400);
    REQUIRE(device.driver->event_record(begin, nullptr) == 0);
    for (int const cost_ns : {1000000, 250000, 500000})
        REQUIRE(device.launch(attune::device_variant_of(act(0, cost_ns)), x, 64) == 0);
    REQUIRE(device.driver->event_record(end, nullptr) == 0);
    CHECK(device.driver->event_elapsed_ms(&ms, begin, end) == 0);
    CHECK(ms == 1.75f);
}

TEST_CASE("emulated: a graph replays what was captured, with the arguments of that time")
{
    emulated_device device(ATTUNE_EMULATED_CUDA);
    auto const& driver = *device.driver;
    auto const x = device.upload(std::vector<int>(64, 5));
    cuda::stream on{};
    REQUIRE(driver.stream_create(&on, 1) == 0);
    REQUIRE(driver.stream_begin_capture(on, 2) == 0);
    auto a = x;
    int n = 10;
    void* values[] = {&a, &n};
    attune::callable const code = act(0, 2000);
    cuda::function const kernel = device.load(attune::device_variant_of(code).code);
    REQUIRE(driver.launch_kernel(kernel, 1, 1, 1, 64, 1, 1, 0, on, values, nullptr) == 0);
    REQUIRE(driver.launch_kernel(kernel, 1, 1, 1, 64, 1, 1, 0, on, values, nullptr) == 0);
    CHECK(driver.stream_synchronize(on) == 900);
    cuda::graph captured{};
    REQUIRE(driver.stream_end_capture(on, &captured) == 0);
    n = 64;
    CHECK(device.launches() == 0);
    cuda::executable_graph ready{};
    REQUIRE(driver.graph_instantiate(&ready, captured, 0) == 0);
    CHECK(driver.graph_destroy(captured) == 0);
    for (int i = 0; i < 3; ++i)
        CHECK(driver.graph_launch(ready, on) == 0);
    CHECK(driver.stream_synchronize(on) == 0);
    CHECK(device.launches() == 6);
    auto const got = device.download<int>(x, 64);
    for (std::size_t i = 0; i < 64; ++i)
        CHECK(got[i] == (i < 10 ? 11 : 5));
    CHECK(driver.executable_graph_destroy(ready) == 0);
    CHECK(driver.stream_destroy(on) == 0);
    CHECK(driver.stream_destroy(on) == 400);
}

TEST_CASE("emulated: launches that no device takes are refused and harm nothing")
{
    environment_value const capability("ATTUNE_EMULATED_CAPABILITY", "80");
    emulated_device device(ATTUNE_EMULATED_CUDA);
    auto const& driver = *device.driver;
    attune_test::emulated_compiler const compiler({.driver = ATTUNE_EMULATED_CUDA});
    attune::compile_request v{"big", "void", {"int*"}, {{"BOUND", "256"}, {"REGISTERS", "128"}}};
    attune::callable const code = attune_test::device_code_of(compiler.compile(
        attune::source_text("#define ATTUNE_EMULATED_REGISTERS REGISTERS\n"
                            "extern \"C\" __global__ void __launch_bounds__(BOUND) big(int* x)\n"
                            "{\n    __shared__ int fixed[256];\n    extern __shared__ int more[];\n"
                            "    fixed[threadIdx.x] = 1;\n    __syncthreads();\n"
                            "    x[0] = more[0] = fixed[0];\n}\n",
                            "big.kernel.cu"),
        v));
    auto const& what = attune::device_variant_of(code);
    CHECK(what.code.resources.registers == 128);
    CHECK(what.code.resources.most_threads == 256);
    CHECK(what.code.architecture == 80);
    cuda::function const kernel = device.load(what.code);
    auto x = device.upload(std::vector<int>(1));
    void* values[] = {&x};
    auto const tried = [&](unsigned grid_y, unsigned block, unsigned shared) {
        return driver.launch_kernel(kernel, 1, grid_y, 1, block, 1, 1, shared, nullptr, values,
                                    nullptr);
    };
    CHECK(tried(1, 0, 4) == cuda::invalid_value);
    CHECK(tried(1, 1025, 4) == cuda::invalid_value);
    CHECK(tried(65536, 1, 4) == cuda::invalid_value);
    CHECK(tried(1, 512, 4) == cuda::invalid_value); // __launch_bounds__
    CHECK(tried(1, 1, 48 * 1024) == cuda::invalid_value);
    CHECK(driver.function_set_attribute(kernel, 8, 163 * 1024) == cuda::invalid_value);
    CHECK(driver.function_set_attribute(kernel, 8, 162 * 1024) == 0);
    CHECK(tried(1, 1, 100 * 1024) == 0);
    CHECK(driver.context_synchronize() == 0);
    CHECK(device.download<int>(x, 1)[0] == 1);

    attune::compile_request wide = v;
    wide.macros = {{"BOUND", "1024"}, {"REGISTERS", "128"}};
    cuda::module loaded{};
    cuda::function none{};
    REQUIRE(driver.module_load_data(&loaded, what.code.image.c_str()) == 0);
    CHECK(driver.module_get_function(&none, loaded, "no_such_kernel") == 500);
    CHECK(driver.module_load_data(&loaded, "\177ELF...") == cuda::no_binary_for_device);
    CHECK(driver.module_load_data(&loaded, "text") == 200);
}

TEST_CASE("emulated: the environment says what devices there are, and which calls fail")
{
    environment_value const devices("ATTUNE_EMULATED_DEVICES", "2");
    environment_value const capability("ATTUNE_EMULATED_CAPABILITY", "90,80");
    environment_value const failing("ATTUNE_EMULATED_FAIL", "cuIpcGetMemHandle=801");
    emulated_device device(ATTUNE_EMULATED_CUDA, 1);
    attune::device_limits const limits = attune::detail::limits_of_device(*device.driver, 1);
    CHECK(limits.name == "Emulated sm_80");
    CHECK(limits.architecture == 80);
    CHECK(limits.shared_bytes_opt_in == 163 * 1024);
    auto const x = device.upload(std::vector<int>(4));
    cuda::ipc_handle handle{};
    CHECK(device.driver->ipc_get_memory(&handle, x) == 801);
    CHECK(attune::detail::limits_of_device(*device.driver, 0).architecture == 90);
}

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
