// attune/ship/bake/device_images.ipp - runs NVRTC for each variant and architecture.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nvrtc.hpp>
#include <attune/core/error.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/limits.hpp>
#include <attune/ship/bake/build_proofs.hpp>
#include <attune/ship/bake/device_images.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::vector<std::string> architecture_levels(std::vector<int> const& asked)
{
    std::vector<int> const& known = known_architectures();
    std::vector<std::string> out;
    for (int const one : asked)
        if (std::find(known.begin(), known.end(), one) == known.end()) {
            std::string all;
            for (int const architecture : known)
                all += (all.empty() ? "" : ", ") + std::to_string(architecture);
            throw error("there is no architecture of this name", "SM " + std::to_string(one),
                        "use some of " + all);
        }
    for (int const architecture : known)
        if (std::find(asked.begin(), asked.end(), architecture) != asked.end())
            out.push_back("sm_" + std::to_string(architecture));
    return out;
}

/// The first words of a text: "nvrtc 13.0" of "nvrtc 13.0 sm_90 --std=c++20".
[[nodiscard]] inline std::string first_words(std::string const& text, std::size_t count)
{
    std::size_t end = 0;
    for (; count > 0 && end != std::string::npos; --count)
        end = text.find(' ', end == 0 ? 0 : end + 1);
    return text.substr(0, end);
}

ATTUNE_INLINE std::vector<std::string> flags_of_identity(std::string const& identity)
{
    std::string const head = first_words(identity, 3);
    if (!head.starts_with("nvrtc ") || head.find(" sm_") == std::string::npos)
        return nvrtc_options{}.flags;
    return split_flags(std::string_view(identity).substr(head.size()));
}

/// NVRTC for one architecture, as it was when the plan's winners were found.
[[nodiscard]] inline nvrtc_compiler nvrtc_for_level(bake_plan const& plan, std::string const& level,
                                                    bool keeps_ptx)
{
    nvrtc_options options;
    options.flags = flags_of_identity(plan.compilers.empty() ? "" : plan.compilers.back());
    options.architecture = architecture_in(level);
    options.driver = "none: nothing is run while baking"; // also where there is a device
    options.cache.enabled = false;
    options.keep_ptx = keeps_ptx;
    return nvrtc_compiler(std::move(options));
}

ATTUNE_INLINE void compile_images(bake_plan& plan, std::vector<std::string> const& levels)
{
    kernel_source source = plan.source;
    bool is_lowest = true;
    std::vector<planned_image> defaults;
    std::vector<planned_image> ptx;
    for (std::string const& level : levels) {
        nvrtc_compiler const compiler = nvrtc_for_level(plan, level, is_lowest);
        std::string const used = compiler.identity();
        auto const image_of = [&](compile_result const& made) {
            device_code const& code = device_variant_of(std::get<callable>(made)).code;
            return planned_image{code.image, code.entry, code.architecture};
        };
        compile_result const by_default = compiler.compile(source, plan.default_code);
        if (auto const* const why = std::get_if<failure>(&by_default))
            throw error("the default of kernel " + plan.kernel + " cannot be compiled for " + level,
                        why->reason + (why->log.empty() ? "" : '\n' + why->log),
                        "leave out SM " + level.substr(3) + ", or mend the kernel");
        defaults.insert(defaults.begin(), image_of(by_default));
        if (is_lowest) {
            device_code const& code = device_variant_of(std::get<callable>(by_default)).code;
            if (!code.ptx.empty()) ptx.push_back({code.ptx, code.entry, code.architecture, true});
            for (std::string const& tuned : plan.compilers)
                if (first_words(tuned, 2) != first_words(used, 2))
                    plan.notices.push_back(plan.kernel + ": tuned with " + tuned + ", baked with " +
                                           first_words(used, 2));
        }
        is_lowest = false;
        for (planned_variant& one : plan.variants) {
            auto const at = std::find_if(one.builds.begin(), one.builds.end(),
                                         [&](auto const& b) { return b.level == level; });
            if (at == one.builds.end()) continue;
            compile_result const made = compiler.compile(source, one.code);
            if (auto const* const why = std::get_if<failure>(&made)) {
                plan.notices.push_back(plan.kernel + ": " + one.text() + " is not baked for " +
                                       level + ": " +
                                       why->reason.substr(0, why->reason.find('\n')));
                one.builds.erase(at);
                continue;
            }
            at->image = image_of(made);
        }
    }
    defaults.insert(defaults.end(), ptx.begin(), ptx.end());
    plan.default_images = std::move(defaults);
}

} // namespace attune::inline ATTUNE_ABI::detail
