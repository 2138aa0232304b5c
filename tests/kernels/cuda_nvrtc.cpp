// NVRTC makes code of every GPU kernel people tune and of those of the examples, and has nothing to
// say against it.
#include <attune/compile/nvrtc.hpp>
#include <attune/compile/nvrtc/library.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/cuda/code.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../support/device_points.hpp"
#include "../support/example_kernels.hpp"
#include "../support/needs_nvrtc.hpp"
#include "../support/rounds.hpp"

namespace {

/// Everything NVRTC itself says of a configuration.
std::string log_of(attune::detail::nvrtc::library const& nvrtc, attune::kernel_source const& kernel,
                   attune::compile_request const& v)
{
    attune::detail::nvrtc::program made{};
    char const* const header = attune::detail::tunable_overlay;
    char const* const name = "attune/tunable.hpp";
    REQUIRE(nvrtc.create_program(&made, kernel.text.c_str(), kernel.path.c_str(), 1, &header,
                                 &name) == 0);
    std::vector<std::string> options = attune::macro_flags(v);
    options.emplace_back("--std=c++20");
    options.emplace_back("--gpu-architecture=sm_90");
    for (std::string const& dir : nvrtc.include_dirs)
        options.push_back("-I" + dir);
    std::vector<char const*> texts;
    for (std::string const& option : options)
        texts.push_back(option.c_str());
    CHECK(nvrtc.compile_program(made, static_cast<int>(texts.size()), texts.data()) == 0);
    std::size_t bytes = 0;
    REQUIRE(nvrtc.get_program_log_size(made, &bytes) == 0);
    std::string log(bytes, '\0');
    REQUIRE(nvrtc.get_program_log(made, log.data()) == 0);
    nvrtc.destroy_program(&made);
    return log.c_str(); // it ends with a zero
}

} // namespace

TEST_CASE("NVRTC makes code of every GPU kernel that two architectures can launch")
{
    for (int const architecture : {80, 90}) {
        if (!attune_test::has_nvrtc(architecture)) return;
        attune::nvrtc_compiler const compiler = attune_test::nvrtc_for(architecture);
        attune::device_limits const limits = compiler.target().limits;
        attune_test::for_each_device_kernel([&]<class Kernel> {
            std::string const name = Kernel::name;
            CAPTURE(name);
            auto const kernel = Kernel::kernel();
            attune::kernel_description const& d = kernel.describe();
            auto const [space, tried] =
                attune_test::points_to_try<Kernel>(d, limits, attune_test::rounds(0, 1));
            for (attune::point const& at : tried) {
                CAPTURE(attune::text_of(space.describe(), at));
                attune::compile_request const v =
                    attune::detail::make_variant(d, space.describe(), at);
                attune::callable const code =
                    attune_test::device_callable(compiler.compile(d.source, v));
                attune::device_variant const& what = attune::device_variant_of(code);
                CHECK(what.code.architecture == architecture);
                CHECK(attune::detail::launch_objection(limits, what.code.resources, what.launch) ==
                      "");
            }
        });
    }
}

TEST_CASE("NVRTC has no warning for any GPU kernel")
{
    if (!attune_test::has_nvrtc(90)) return;
    attune::device_limits const limits = attune::detail::limits_of_architecture(90);
    attune_test::for_each_device_kernel([&]<class Kernel> {
        std::string const name = Kernel::name;
        CAPTURE(name);
        auto const kernel = Kernel::kernel();
        attune::kernel_description const& d = kernel.describe();
        auto const [space, tried] = attune_test::points_to_try<Kernel>(d, limits, 0);
        for (attune::point const& at : tried)
            CHECK(log_of(*attune_test::nvrtc_here().first, d.source,
                         attune::detail::make_variant(d, space.describe(), at)) == "");
    });
}
