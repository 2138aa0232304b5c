// attune/ship/baked/opencl_launch.hpp - the OpenCL library in a released program, and launches with it.
// SPDX-License-Identifier: MIT-0
// tested by ship/baked/opencl_machine.cpp
// Source   Khronos OpenCL 3.0 specification; no OpenCL header is needed. The numbers are of CL/cl.h,
//          are part of the ABI and do not change
//
// Only the unit of a table for OpenCL includes this header (opencl_machine.hpp). The first launch
// opens libOpenCL.so.1, which is never closed: the threads of a platform may run.
#pragma once

#ifndef ATTUNE_RELEASED
#define ATTUNE_RELEASED // exceptions are not needed: core/version.hpp
#endif

#include <attune/core/version.hpp>
#include <attune/ship/baked/device_code.hpp>
#include <attune/ship/baked/device_launch.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::launching {

/// The functions of OpenCL that a launch needs, named as in the specification. Handles are void*.
struct opencl {
    template <class Object>
    using info = int(Object, unsigned what, std::size_t room, void* out, std::size_t* bytes);

    info<void*>* get_platform_info = nullptr;
    info<void*>* get_device_info = nullptr;
    info<void*>* get_context_info = nullptr;
    info<void*>* get_queue_info = nullptr;
    info<void const*>* get_memory_info = nullptr;
    info<void*>* get_kernel_info = nullptr;
    void* (*create_queue)(void* context, void* device, std::uint64_t, int* error) = nullptr;
    int (*release_queue)(void*) = nullptr;
    void* (*create_with_source)(void* context, unsigned count, char const**, std::size_t const*,
                                int* error) = nullptr;
    void* (*create_with_binary)(void* context, unsigned count, void* const* devices,
                                std::size_t const*, unsigned char const**, int* of_each,
                                int* error) = nullptr;
    int (*build)(void* program, unsigned count, void* const* devices, char const* options,
                 void (*notify)(void*, void*), void*) = nullptr;
    int (*get_build_info)(void* program, void* device, unsigned what, std::size_t room, void* out,
                          std::size_t* bytes) = nullptr;
    int (*release_program)(void*) = nullptr;
    void* (*create_kernel)(void* program, char const* name, int* error) = nullptr;
    int (*set_argument)(void* kernel, unsigned index, std::size_t bytes, void const*) = nullptr;
    int (*enqueue)(void* queue, void* kernel, unsigned dimensions, std::size_t const* offset,
                   std::size_t const* global, std::size_t const* local, unsigned waits,
                   void* const*, void** event) = nullptr;
    int (*finish)(void* queue) = nullptr;
    void* library = nullptr;
    std::string why{}; ///< reason why OpenCL is unusable; empty: usable

    template <class Function>
    bool take(char const* name, Function*& to) const
    {
        to = reinterpret_cast<Function*>(::dlsym(library, name));
        return to != nullptr;
    }
};

[[nodiscard]] inline opencl opened_opencl()
{
    opencl out;
    out.library = ::dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (out.library == nullptr) {
        char const* const said = ::dlerror();
        out.why = "there is no OpenCL library: " + std::string(said != nullptr ? said : "");
        return out;
    }
    bool const is_whole = out.take("clGetPlatformInfo", out.get_platform_info) &&
                          out.take("clGetDeviceInfo", out.get_device_info) &&
                          out.take("clGetContextInfo", out.get_context_info) &&
                          out.take("clGetCommandQueueInfo", out.get_queue_info) &&
                          out.take("clGetMemObjectInfo", out.get_memory_info) &&
                          out.take("clGetKernelInfo", out.get_kernel_info) &&
                          out.take("clCreateCommandQueue", out.create_queue) &&
                          out.take("clReleaseCommandQueue", out.release_queue) &&
                          out.take("clCreateProgramWithSource", out.create_with_source) &&
                          out.take("clCreateProgramWithBinary", out.create_with_binary) &&
                          out.take("clBuildProgram", out.build) &&
                          out.take("clGetProgramBuildInfo", out.get_build_info) &&
                          out.take("clReleaseProgram", out.release_program) &&
                          out.take("clCreateKernel", out.create_kernel) &&
                          out.take("clSetKernelArg", out.set_argument) &&
                          out.take("clEnqueueNDRangeKernel", out.enqueue) &&
                          out.take("clFinish", out.finish);
    if (!is_whole) out.why = "libOpenCL.so.1 lacks functions of OpenCL 1.2";
    return out;
}

[[nodiscard]] inline opencl const& the_opencl()
{
    static opencl const& one = *new opencl(opened_opencl()); // launches may come until the end
    return one;
}

[[nodiscard]] inline std::string opencl_error(char const* function, int error)
{
    return std::string(function) + ": OpenCL error " + std::to_string(error);
}

/// A text of any length, without its final zero.
/// @param ask  (room, out, bytes) -> error
template <class Ask>
[[nodiscard]] std::string opencl_text(Ask const& ask)
{
    std::size_t bytes = 0;
    if (ask(0, nullptr, &bytes) != 0 || bytes == 0) return {};
    std::string out(bytes, '\0');
    if (ask(out.size(), out.data(), nullptr) != 0) return {};
    while (!out.empty() && out.back() == '\0')
        out.pop_back();
    return out;
}

[[nodiscard]] inline device_facts facts_of_device(opencl const& cl, void* device)
{
    auto const text = [&](auto* ask, void* of, unsigned what) {
        return opencl_text([&](std::size_t room, void* out, std::size_t* bytes) {
            return ask(of, what, room, out, bytes);
        });
    };
    void* platform = nullptr;
    cl.get_device_info(device, 0x1031, sizeof platform, &platform, nullptr);
    device_facts out;
    out.name = "OpenCL " + text(cl.get_device_info, device, 0x102B) + " (" +
               text(cl.get_platform_info, platform, 0x0902) + ')';
    out.driver = text(cl.get_device_info, device, 0x102D);
    return out;
}

/// A device in a context. Exists until the program ends.
struct opencl_place {
    void* context = nullptr;
    void* device = nullptr;
    device_facts facts{};
    mutable std::atomic<void*> queue{nullptr}; ///< of launches without a queue of the program
    opencl_place const* next = nullptr;
};
/// All places so far, the latest first.
inline std::atomic<opencl_place const*> all_places{nullptr};

[[nodiscard]] inline opencl_place const& place_of(opencl const& cl, void* context, void* device)
{
    opencl_place const* at = all_places.load(std::memory_order_acquire);
    while (at != nullptr && !(at->context == context && at->device == device))
        at = at->next;
    if (at != nullptr) return *at;
    auto* const made = new opencl_place;
    made->context = context;
    made->device = device;
    made->facts = facts_of_device(cl, device);
    made->next = all_places.load(std::memory_order_acquire);
    while (!all_places.compare_exchange_weak(made->next, made, std::memory_order_acq_rel)) {
    }
    return *made;
}

struct opencl_image : loaded_image {
    /// Set while a launch uses the kernel object, which holds the arguments of one launch.
    mutable std::atomic_flag is_taken{};
    unsigned arguments = 0; ///< one more than the program's: the last is local memory
};

/// The use of a kernel object by one launch.
class kernel_turn {
public:
    explicit kernel_turn(opencl_image const& of) noexcept
        : of_(of)
    {
        while (of_.is_taken.test_and_set(std::memory_order_acquire))
            of_.is_taken.wait(true, std::memory_order_relaxed);
    }
    ~kernel_turn()
    {
        of_.is_taken.clear(std::memory_order_release);
        of_.is_taken.notify_one();
    }
    kernel_turn(kernel_turn const&) = delete;
    kernel_turn& operator=(kernel_turn const&) = delete;

private:
    opencl_image const& of_;
};

/// Makes and builds a program.
/// @return  null after an error
[[nodiscard]] inline void* built_program(opencl const& cl, void* context, void* device,
                                         baked_image const& image, launch_status& status)
{
    int error = 0;
    int of_binary = 0;
    unsigned char const* bytes = image.bytes;
    char const* text = reinterpret_cast<char const*>(bytes);
    void* const program =
        image.is_text
            ? cl.create_with_source(context, 1, &text, &image.count, &error)
            : cl.create_with_binary(context, 1, &device, &image.count, &bytes, &of_binary, &error);
    if (error != 0) {
        status = {
            opencl_error(image.is_text ? "clCreateProgramWithSource" : "clCreateProgramWithBinary",
                         error),
            error};
        return nullptr;
    }
    error =
        of_binary != 0 ? of_binary : cl.build(program, 1, &device, image.options, nullptr, nullptr);
    if (error == 0) return program;
    std::string const log = opencl_text([&](std::size_t room, void* out, std::size_t* got) {
        return cl.get_build_info(program, device, 0x1183, room, out, got);
    });
    status = {opencl_error("clBuildProgram", error) + (log.empty() ? "" : ": ") +
                  log.substr(0, log.find('\n')),
              error};
    cl.release_program(program);
    return nullptr;
}

/// The queue of one call, its context and its device. Without a queue: the context of an array, and
/// the first device there.
class opencl_site {
public:
    static constexpr char const* absent = "there is no OpenCL library, or no context";
    static constexpr char const* unsupported = "the variant was not verified on this device";
    static constexpr bool has_handles = true;

    [[nodiscard]] static bool can_run(baked_image const& image, device_facts const& on) noexcept
    {
        bool const is_for_it = *image.device == '\0' || on.name == image.device;
        return is_for_it && (image.is_text || on.driver == image.driver);
    }
    [[nodiscard]] static bool is_foreign_binary(int error) noexcept
    {
        return error == -42 || error == -44 || error == -45; // binary, program, executable
    }

    /// @param queue  a cl_command_queue, or null  @param array  a cl_mem, or null
    opencl_site(void* queue, void const* array)
        : cl_(the_opencl())
        , queue_(queue)
        , why_(cl_.why)
    {
        if (!why_.empty()) return;
        void* context = nullptr;
        void* device = nullptr;
        int error = 0;
        if (queue != nullptr) {
            error = cl_.get_queue_info(queue, 0x1090, sizeof context, &context, nullptr);
            if (error == 0)
                error = cl_.get_queue_info(queue, 0x1091, sizeof device, &device, nullptr);
            if (error != 0) why_ = opencl_error("the queue is no cl_command_queue", error);
        } else if (array == nullptr) {
            why_ = "the call names no queue, and has no array whose context it could use";
        } else {
            error = cl_.get_memory_info(array, 0x1106, sizeof context, &context, nullptr);
            std::size_t bytes = 0;
            if (error == 0) error = cl_.get_context_info(context, 0x1081, 0, nullptr, &bytes);
            std::vector<void*> devices(bytes / sizeof device + 1);
            if (error == 0)
                error = cl_.get_context_info(context, 0x1081, bytes, devices.data(), nullptr);
            device = devices.front();
            if (error != 0) why_ = opencl_error("the first array is no cl_mem", error);
        }
        if (why_.empty()) place_ = &place_of(cl_, context, device);
    }

    /// A number for the context with the device; 0: none.
    [[nodiscard]] std::int64_t number() const noexcept
    {
        return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(place_));
    }
    /// Returns the reason why no launch is possible.
    [[nodiscard]] std::string const& enter() const noexcept { return why_; }
    /// @pre  enter() is empty, also for load()
    [[nodiscard]] device_facts const& facts() const noexcept { return place_->facts; }

    [[nodiscard]] loaded_image const* load(baked_image const& image, launch_number const* numbers,
                                           launch_status& status) const
    {
        if (loaded_image const* const known = find_loaded(image, numbers, place_)) return known;
        void* const program = built_program(cl_, place_->context, place_->device, image, status);
        if (program == nullptr) return nullptr;
        int error = 0;
        void* const kernel = cl_.create_kernel(program, image.entry, &error);
        cl_.release_program(program); // the kernel retains it
        if (error != 0) {
            status = {opencl_error("clCreateKernel", error) + ", " + image.entry, error};
            return nullptr;
        }
        auto* const made = new opencl_image;
        made->image = &image;
        made->numbers = numbers;
        made->place = place_;
        made->function = kernel;
        cl_.get_kernel_info(kernel, 0x1191, sizeof made->arguments, &made->arguments, nullptr);
        keep_loaded(*made);
        return made;
    }

    /// Begins a launch. Without a queue of the program, also waits for its end.
    /// @param arguments  an address for each of `count`
    [[nodiscard]] launch_status start(loaded_image const& code, baked_geometry const& g, bool,
                                      void** arguments, passed_form const* forms, std::size_t count)
    {
        auto const& what = static_cast<opencl_image const&>(code);
        int error = 0;
        void* const queue = queue_ != nullptr ? queue_ : own_queue(error);
        if (error != 0) return {opencl_error("clCreateCommandQueue", error), error};
        std::size_t global[3] = {};
        std::size_t local[3] = {};
        unsigned dimensions = 1;
        for (unsigned i = 0; i < 3; ++i) {
            local[i] = static_cast<std::size_t>(g.block[i]);
            global[i] = static_cast<std::size_t>(g.grid[i]) * local[i];
            if (global[i] > 1) dimensions = i + 1;
        }
        {
            kernel_turn const mine(what);
            if (launch_status const set = set_arguments(what, g, arguments, forms, count); !set)
                return set;
            error = cl_.enqueue(queue, what.function, dimensions, nullptr, global, local, 0,
                                nullptr, nullptr);
        }
        if (error != 0)
            return {opencl_error("clEnqueueNDRangeKernel", error) + ", " + text_of(g), error};
        if (queue_ == nullptr) error = cl_.finish(queue);
        if (error != 0) return {opencl_error("clFinish", error), error};
        return {};
    }

private:
    /// @pre  the caller has the kernel_turn of `what`
    [[nodiscard]] launch_status set_arguments(opencl_image const& what, baked_geometry const& g,
                                              void** arguments, passed_form const* forms,
                                              std::size_t count) const
    {
        auto const failed = [](std::size_t i, int error) {
            return launch_status{
                opencl_error("clSetKernelArg", error) + ", argument " + std::to_string(i), error};
        };
        for (std::size_t i = 0; i < count; ++i)
            if (int const error = cl_.set_argument(what.function, static_cast<unsigned>(i),
                                                   forms[i].bytes, arguments[i]))
                return failed(i, error);
        if (what.arguments <= count) return {};
        int const error = cl_.set_argument(what.function, static_cast<unsigned>(count),
                                           static_cast<std::size_t>(g.shared_bytes), nullptr);
        return error == 0 ? launch_status{} : failed(count, error);
    }

    [[nodiscard]] void* own_queue(int& error) const
    {
        void* known = place_->queue.load(std::memory_order_acquire);
        if (known != nullptr) return known;
        void* const made = cl_.create_queue(place_->context, place_->device, 0, &error);
        if (error != 0) return nullptr;
        if (place_->queue.compare_exchange_strong(known, made, std::memory_order_acq_rel))
            return made;
        cl_.release_queue(made);
        return known;
    }

    opencl const& cl_;
    void* queue_;
    std::string why_;
    opencl_place const* place_ = nullptr;
};

} // namespace attune::inline ATTUNE_ABI::detail::launching
