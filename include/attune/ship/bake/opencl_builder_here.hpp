// attune/ship/bake/opencl_builder_here.hpp - an OpenCL device of this machine, which makes binaries for a release.
// SPDX-License-Identifier: MIT
// tested by ship/bake/opencl_images.cpp
// Source   Khronos OpenCL 3.0 specification
//
// The builder opens OpenCL's library as a release does: the program that bakes links no tuner.
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/bake/bake_plan.hpp>
#include <attune/ship/baked/device_code.hpp>
#include <attune/ship/baked/opencl_launch.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A device with a context, which ends with the last copy of this object.
class opencl_builder_here {
public:
    /// @param name  the store's: "OpenCL cpu-haswell (Portable Computing Language)"
    /// @return  empty: no library, or no such device
    [[nodiscard]] static std::optional<opencl_builder_here> find(std::string const& name)
    {
        launching::opencl const& cl = launching::the_opencl();
        int (*get_platforms)(unsigned, void**, unsigned*) = nullptr;
        int (*get_devices)(void*, std::uint64_t, unsigned, void**, unsigned*) = nullptr;
        void* (*create)(std::intptr_t const*, unsigned, void* const*,
                        void (*)(char const*, void const*, std::size_t, void*), void*, int*) =
            nullptr;
        int (*release)(void*) = nullptr;
        if (!cl.why.empty() || !cl.take("clGetPlatformIDs", get_platforms) ||
            !cl.take("clGetDeviceIDs", get_devices) || !cl.take("clCreateContext", create) ||
            !cl.take("clReleaseContext", release))
            return {};
        for (void* const platform : all_of(get_platforms))
            for (void *const device : all_of([&](unsigned room, void** out, unsigned* count) {
                     return get_devices(platform, 0xFFFFFFFF, room, out, count);
                 })) {
                launching::device_facts const facts = launching::facts_of_device(cl, device);
                if (facts.name != name) continue;
                int error = 0;
                void* const context = create(nullptr, 1, &device, nullptr, nullptr, &error);
                if (error != 0) return {};
                return opencl_builder_here(facts, device,
                                           std::shared_ptr<void>(context, [release](void* one) {
                                               static_cast<void>(release(one));
                                           }));
            }
        return {};
    }

    [[nodiscard]] std::string const& name() const noexcept { return facts_.name; }

    /// The device's binary of a text.
    /// @param why  receives the reason why the text does not compile
    /// @return  empty: it does not compile, or the platform gives no binary
    [[nodiscard]] std::optional<planned_image> binary_of(planned_image const& text,
                                                         std::string& why) const
    {
        launching::opencl const& cl = launching::the_opencl();
        baked_image const image{.bytes = reinterpret_cast<unsigned char const*>(text.bytes.data()),
                                .count = text.bytes.size(),
                                .is_text = true,
                                .options = text.options.c_str()};
        launch_status status;
        void* const program = launching::built_program(cl, context_.get(), device_, image, status);
        why = status.why;
        if (program == nullptr) return {};
        planned_image out = text;
        out.is_text = false;
        out.device = facts_.name;
        out.driver = facts_.driver;
        out.bytes = bytes_of(cl, program);
        cl.release_program(program);
        if (out.bytes.empty()) return {};
        return out;
    }

private:
    opencl_builder_here(launching::device_facts facts, void* device, std::shared_ptr<void> context)
        : facts_(std::move(facts))
        , device_(device)
        , context_(std::move(context))
    {
    }

    template <class Ask>
    [[nodiscard]] static std::vector<void*> all_of(Ask const& ask)
    {
        unsigned count = 0;
        if (ask(0, nullptr, &count) != 0) return {};
        std::vector<void*> out(count);
        if (count == 0 || ask(count, out.data(), nullptr) != 0) return {};
        return out;
    }
    /// @pre  the program is built for one device
    [[nodiscard]] static std::string bytes_of(launching::opencl const& cl, void* program)
    {
        launching::opencl::info<void*>* get_program_info = nullptr;
        std::size_t size = 0;
        if (!cl.take("clGetProgramInfo", get_program_info) ||
            get_program_info(program, 0x1165, sizeof size, &size, nullptr) != 0)
            return {};
        std::string out(size, '\0');
        char* at = out.data();
        return get_program_info(program, 0x1166, sizeof at, &at, nullptr) == 0 ? out
                                                                               : std::string();
    }

    launching::device_facts facts_;
    void* device_;
    std::shared_ptr<void> context_;
};

} // namespace attune::inline ATTUNE_ABI::detail
