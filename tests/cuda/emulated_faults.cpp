// The emulated driver refuses what no device takes; what a kernel does wrong stays for the rest of
// the process.
#include <attune/cuda/driver.hpp>

#include <csignal>
#include <doctest/doctest.h>
#include <vector>

#include "../support/child_status.hpp"
#include "../support/emulated_acts.hpp"

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
