// The GPU kernels people tune, and those of the examples, compute the right thing on the emulated
// device, in every configuration that is tried.
#include <attune/compile/nvrtc.hpp>
#include <attune/core/random.hpp>
#include <attune/cuda/code.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <bit>
#include <cstddef>
#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../support/device_points.hpp"
#include "../support/emulated_compiler.hpp"
#include "../support/emulated_device.hpp"
#include "../support/example_kernels.hpp"
#include "../support/rounds.hpp"

namespace {

using attune_test::emulated_device;
using attune_test::environment_value;

/// The arguments of a call on the device: arrays as copies, numbers as they are.
class device_arguments {
public:
    explicit device_arguments(emulated_device& device)
        : device_(device)
    {
    }
    template <class T>
    void add(std::vector<T>& array)
    {
        pointers_.push_back(device_.upload(array));
        back_.push_back([&array, at = pointers_.back(), this] {
            array = device_.download<T>(at, array.size());
        });
        places_.push_back({true, pointers_.size() - 1});
    }
    void add(auto number)
    {
        numbers_.push_back(std::bit_cast<int>(number));
        places_.push_back({false, numbers_.size() - 1});
    }
    /// In order, as cuLaunchKernel takes them.
    [[nodiscard]] std::vector<void*> addresses()
    {
        std::vector<void*> out;
        for (auto const& [is_array, at] : places_)
            out.push_back(is_array ? static_cast<void*>(&pointers_[at])
                                   : static_cast<void*>(&numbers_[at]));
        return out;
    }
    void copy_back() const
    {
        for (auto const& copy : back_)
            copy();
    }

private:
    emulated_device& device_;
    std::vector<attune::detail::cuda::device_pointer> pointers_{};
    std::vector<int> numbers_{}; ///< as four bytes each
    std::vector<std::pair<bool, std::size_t>> places_{};
    std::vector<std::function<void()>> back_{};
};

/// One launch from the contents a fresh problem has.
/// @return  what is wrong with its result; empty: nothing
template <class Kernel>
std::string run_once(attune::device_variant const& what)
{
    emulated_device device(ATTUNE_EMULATED_CUDA);
    Kernel problem(Kernel::tested_size);
    std::string said;
    problem.call([&](auto&&... arguments) {
        device_arguments on_device(device);
        (on_device.add(arguments), ...);
        auto loaded = attune::detail::cuda::loaded_code::load(device.driver, what);
        if (auto const* const failed = std::get_if<attune::failure>(&loaded)) {
            said = failed->reason;
            return;
        }
        std::vector<void*> addresses = on_device.addresses();
        auto result =
            std::get<attune::detail::cuda::loaded_code>(loaded).launch(addresses.data(), nullptr);
        if (result == 0) result = device.driver->context_synchronize();
        if (result != 0)
            said = attune::detail::cuda::text_of(*device.driver, result);
        else
            on_device.copy_back();
    });
    if (!said.empty()) return said;
    std::vector<float> const got(problem.result().begin(), problem.result().end());
    return kernels::difference(got, problem.expected(), Kernel::tolerance);
}

/// One configuration, with the threads of a block in either order.
template <class Kernel>
void check_point(attune_test::emulated_compiler const& compiler,
                 attune::kernel_description const& d, attune::description const& space,
                 attune::point const& at)
{
    attune::compile_request const v = attune::detail::make_variant(d, space, at);
    attune::callable const code = attune_test::device_code_of(compiler.compile(d.source, v));
    attune::device_variant const& what = attune::device_variant_of(code);
    CHECK(run_once<Kernel>(what) == "");
    // Where a barrier is missing, the other order of threads gives other results.
    environment_value const order("ATTUNE_EMULATED_ORDER", "newest");
    CHECK(run_once<Kernel>(what) == "");
}

} // namespace

TEST_CASE("every GPU kernel agrees with a plain computation: default, expert, draws")
{
    environment_value const multiprocessors("ATTUNE_EMULATED_MULTIPROCESSORS", "16");
    attune_test::emulated_compiler const compiler({.driver = ATTUNE_EMULATED_CUDA});
    attune::device_limits const limits = compiler.target().limits;
    attune_test::for_each_device_kernel([&]<class Kernel> {
        std::string const name = Kernel::name;
        CAPTURE(name);
        auto const kernel = Kernel::kernel();
        attune::kernel_description const& d = kernel.describe();
        auto const [space, tried] =
            attune_test::points_to_try<Kernel>(d, limits, attune_test::rounds(1, 15));
        for (attune::point const& at : tried) {
            CAPTURE(attune::text_of(space.describe(), at));
            REQUIRE(space.contains(at));
            check_point<Kernel>(compiler, d, space.describe(), at);
        }
    });
}

TEST_CASE("hotspot is right where a block advances more than one tile, as at its usual size")
{
    using kernels::cuda::hotspot;
    attune_test::emulated_compiler const compiler({.driver = ATTUNE_EMULATED_CUDA});
    auto const kernel = hotspot::kernel();
    attune::kernel_description const& d = kernel.describe();
    auto const space = attune_test::points_to_try<hotspot>(d, compiler.target().limits, 0).first;
    for (hotspot::config const& c : {hotspot::config{16, 4, 1, 1, 1, 1, false, 64},
                                     hotspot::config{8, 4, 1, 2, 3, 3, true, 96},
                                     hotspot::config{16, 2, 1, 1, 10, 5, false, 64}}) {
        auto const tiles = [](int of_tile) { return (hotspot::tested_size - 1) / of_tile + 1; };
        REQUIRE(tiles(c[hotspot::block_x] * c[hotspot::tile_x]) *
                    tiles(c[hotspot::block_y] * c[hotspot::tile_y]) >
                c[hotspot::blocks]);
        attune::point const at = attune::encode(hotspot::space, space.describe(), c).value();
        CAPTURE(attune::text_of(space.describe(), at));
        REQUIRE(space.contains(at));
        check_point<hotspot>(compiler, d, space.describe(), at);
    }
}
