// attune/compile/opencl/builder.ipp - builds a program and asks for the properties of its kernel.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/opencl/builder.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/opencl/driver.hpp>

#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// A program of the library.
class opencl_program {
public:
    opencl_program(opencl::library const& cl, opencl::context in, opencl::device device,
                   std::string const& text)
        : cl_(cl)
        , device_(device)
    {
        char const* begin = text.data();
        std::size_t const size = text.size();
        opencl::result said = opencl::success;
        handle_ = is_spirv(text) ? cl_.create_program_with_il(in, begin, size, &said)
                                 : cl_.create_program_with_source(in, 1, &begin, &size, &said);
        if (said != opencl::success)
            throw error("OpenCL takes no program", opencl::text_of(said),
                        "see what clinfo lists of this device");
    }
    ~opencl_program() { cl_.release_program(handle_); }
    opencl_program(opencl_program const&) = delete;
    opencl_program& operator=(opencl_program const&) = delete;

    /// @pre  the library has the function
    [[nodiscard]] opencl::result set(opencl_constant const& one) const
    {
        return cl_.set_constant(handle_, one.id, one.bytes.size(), one.bytes.data());
    }
    [[nodiscard]] opencl::result build(std::string const& options) const
    {
        return cl_.build_program(handle_, 1, &device_, options.c_str(), nullptr, nullptr);
    }
    [[nodiscard]] std::string log() const
    {
        return opencl::text_by([this](std::size_t room, void* out, std::size_t* bytes) {
            return cl_.get_program_build_info(handle_, device_, opencl::of_program::build_log, room,
                                              out, bytes);
        });
    }
    [[nodiscard]] std::string binary() const
    {
        std::size_t size = 0;
        if (cl_.get_program_info(handle_, opencl::of_program::binary_sizes, sizeof size, &size,
                                 nullptr) != opencl::success)
            return {};
        std::string out(size, '\0');
        auto* at = reinterpret_cast<unsigned char*>(out.data());
        if (cl_.get_program_info(handle_, opencl::of_program::binaries, sizeof at, &at, nullptr) !=
            opencl::success)
            return {};
        return out;
    }
    [[nodiscard]] opencl::program handle() const noexcept { return handle_; }

private:
    opencl::library const& cl_;
    opencl::device device_;
    opencl::program handle_ = nullptr;
};

/// A kernel of a program, to ask for its properties.
class opencl_kernel_info {
public:
    opencl_kernel_info(opencl::library const& cl, opencl::device device, opencl::program in,
                       std::string const& name)
        : cl_(cl)
        , device_(device)
    {
        handle_ = cl_.create_kernel(in, name.c_str(), &said_);
    }
    ~opencl_kernel_info()
    {
        if (handle_ != nullptr && said_ == opencl::success) cl_.release_kernel(handle_);
    }
    opencl_kernel_info(opencl_kernel_info const&) = delete;
    opencl_kernel_info& operator=(opencl_kernel_info const&) = delete;

    [[nodiscard]] opencl::result said() const noexcept { return said_; }

    [[nodiscard]] std::vector<defined_argument> arguments() const
    {
        auto const count =
            opencl::value_by<unsigned>([this](std::size_t room, void* out, std::size_t* bytes) {
                return cl_.get_kernel_info(handle_, opencl::of_kernel::argument_count, room, out,
                                           bytes);
            });
        std::vector<defined_argument> out;
        for (unsigned i = 0; i < count; ++i) {
            auto const ask = [this, i](unsigned what) {
                return [this, i, what](std::size_t room, void* to, std::size_t* bytes) {
                    return cl_.get_kernel_arg_info(handle_, i, what, room, to, bytes);
                };
            };
            defined_argument made;
            made.type = opencl::text_by(ask(opencl::of_argument::type_name));
            auto const where = opencl::value_by<unsigned>(ask(opencl::of_argument::address_space));
            if (where == opencl::of_argument::global || where == opencl::of_argument::constant)
                made.kind = opencl::argument_kind::array;
            if (where == opencl::of_argument::local) made.kind = opencl::argument_kind::local;
            auto const access = opencl::value_by<unsigned>(ask(opencl::of_argument::access));
            if (made.type.ends_with("image2d_t") && access == opencl::of_argument::read_only)
                made.kind = opencl::argument_kind::picture;
            out.push_back(std::move(made));
        }
        return out;
    }

    [[nodiscard]] code_resources resources() const
    {
        code_resources out;
        out.most_threads = number<std::size_t>(opencl::of_work_group::most_items);
        out.static_shared_bytes = number<std::uint64_t>(opencl::of_work_group::local_bytes);
        out.stack_bytes = number<std::uint64_t>(opencl::of_work_group::private_bytes);
        return out;
    }
    [[nodiscard]] std::array<std::uint64_t, 3> declared_size() const
    {
        std::size_t sizes[3] = {};
        cl_.get_kernel_work_group_info(handle_, device_, opencl::of_work_group::declared_size,
                                       sizeof sizes, sizes, nullptr);
        return {sizes[0], sizes[1], sizes[2]};
    }

private:
    template <class T>
    [[nodiscard]] std::int64_t number(unsigned what) const
    {
        return static_cast<std::int64_t>(
            opencl::value_by<T>([&](std::size_t room, void* out, std::size_t* bytes) {
                return cl_.get_kernel_work_group_info(handle_, device_, what, room, out, bytes);
            }));
    }

    opencl::library const& cl_;
    opencl::device device_;
    opencl::kernel handle_ = nullptr;
    opencl::result said_ = opencl::success;
};

ATTUNE_INLINE opencl_built build_opencl(int ordinal, opencl_build_request const& what)
{
    opencl::library const& cl = *opencl::library_in_use();
    opencl::device const device = opencl::devices_in_use()[static_cast<std::size_t>(ordinal)].at;
    opencl_program const program(cl, opencl::context_of(ordinal), device, what.text);
    opencl_built out;
    for (opencl_constant const& one : what.constants)
        if (out.of_build == opencl::success) out.of_build = program.set(one);
    if (out.of_build != opencl::success) return out;
    out.of_build = program.build(what.options);
    out.log = program.log();
    if (out.of_build != opencl::success) return out;
    opencl_kernel_info const made(cl, device, program.handle(), what.entry);
    out.of_kernel = made.said();
    if (out.of_kernel != opencl::success) return out;
    if (!is_spirv(what.text)) out.arguments = made.arguments();
    out.resources = made.resources();
    out.declared_size = made.declared_size();
    if (what.wants_binary) out.binary = program.binary();
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
