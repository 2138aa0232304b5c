// attune/ship/bake/opencl_images.ipp - texts with the files that they include, and binaries of this machine's devices.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/opencl/builder.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/compile/source/scan.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/bake/opencl_builder_here.hpp>
#include <attune/ship/bake/opencl_images.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::vector<std::string> opencl_flags_of_identity(std::string const& identity)
{
    std::size_t const driver = identity.find(", driver ");
    std::size_t const flags = driver == identity.npos ? driver : identity.find(" -", driver);
    return flags == identity.npos ? std::vector<std::string>{}
                                  : split_flags(std::string_view(identity).substr(flags));
}

/// A kernel file with each quoted file in place of the line that includes it: a release has no
/// files. Include guards and conditions stay as they are.
class text_with_files {
public:
    explicit text_with_files(kernel_source const& kernel)
        : kernel_(kernel)
        , parts_(source_parts(kernel))
    {
        add(parts_.front());
    }
    [[nodiscard]] std::string take() { return std::move(out_); }

private:
    void add(source_part const& file)
    {
        open_.push_back(&file);
        std::size_t line_number = 0;
        for (std::string_view rest = file.text; !rest.empty();) {
            std::string_view const line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(line.size() + 1, rest.size()));
            ++line_number;
            std::vector<std::string> const names = quoted_includes(line);
            bool const is_other = !names.empty() && !names[0].ends_with("attune/tunable.hpp");
            source_part const* const other = is_other ? part_at(names[0], file) : nullptr;
            if (other == nullptr) {
                bool const is_once = is_pragma_once(line);
                if (is_once) once_.push_back(&file);
                out_ += std::string(is_once ? "" : line) + '\n';
                continue;
            }
            bool const is_done = std::find(once_.begin(), once_.end(), other) != once_.end();
            if (!is_done && std::find(open_.begin(), open_.end(), other) == open_.end()) {
                out_ += line_text(1, *other);
                add(*other);
            }
            out_ += line_text(line_number + 1, file);
        }
        open_.pop_back();
    }
    /// Names without folders, which the release's user does not have.
    [[nodiscard]] static std::string line_text(std::size_t number, source_part const& of)
    {
        return "#line " + std::to_string(number) + ' ' +
               detail::quoted(std::filesystem::path(of.path).filename().string()) + '\n';
    }
    [[nodiscard]] static bool is_pragma_once(std::string_view line)
    {
        std::string words;
        for (char const c : line)
            if (c != ' ' && c != '\t' && c != '\r') words += c;
        return words == "#pragmaonce";
    }
    [[nodiscard]] source_part const* part_at(std::string const& name, source_part const& from) const
    {
        namespace fs = std::filesystem;
        std::vector<std::string> places{
            (fs::path(from.path).parent_path() / name).lexically_normal().string()};
        for (std::string const& folder : kernel_.include_dirs)
            places.push_back((fs::path(folder) / name).lexically_normal().string());
        for (std::string const& place : places)
            for (source_part const& part : parts_)
                if (fs::path(part.path).lexically_normal() == place) return &part;
        return nullptr;
    }

    kernel_source const& kernel_;
    std::vector<source_part> parts_;
    std::vector<source_part const*> open_{};
    std::vector<source_part const*> once_{};
    std::string out_{};
};

ATTUNE_INLINE void add_opencl_images(bake_plan& plan)
{
    if (is_spirv(plan.source.text))
        throw error("a kernel in SPIR-V is not baked", plan.source.path,
                    "tune a kernel file in OpenCL C, or ship the store with the program");
    kernel_source source = plan.source;
    source.text = text_with_files(plan.source).take();
    source.path = std::filesystem::path(source.path).filename().string();
    std::vector<std::string> flags =
        opencl_flags_of_identity(plan.compilers.empty() ? "" : plan.compilers.back());
    flags.insert(flags.end(), source.flags.begin(), source.flags.end());
    auto const text_of = [&](compile_request const& code, std::string const& device) {
        planned_image out{.bytes = opencl_text(source, code),
                          .entry = plan.kernel,
                          .is_text = true,
                          .device = device};
        for (std::vector<std::string> const& some : {flags, code.flags})
            for (std::string const& flag : some)
                out.options += (out.options.empty() ? "" : " ") + flag;
        return out;
    };
    std::vector<opencl_builder_here> here;
    for (planned_device const& one : plan.devices)
        if (auto found = opencl_builder_here::find(one.name)) here.push_back(std::move(*found));
    planned_image const by_default = text_of(plan.default_code, "");
    for (opencl_builder_here const& device : here) {
        std::string why;
        if (auto binary = device.binary_of(by_default, why))
            plan.default_images.push_back(std::move(*binary));
        else
            throw error("the default of kernel " + plan.kernel + " cannot be compiled for " +
                            device.name(),
                        why, "mend the kernel, or bake it where there is no such device");
    }
    plan.default_images.push_back(by_default);
    for (planned_variant& one : plan.variants) {
        std::vector<planned_build> all;
        for (planned_build& build : one.builds) {
            build.image = text_of(one.code, build.level);
            auto const at = std::find_if(here.begin(), here.end(),
                                         [&](auto const& d) { return d.name() == build.level; });
            std::string why;
            auto binary = at == here.end() ? std::nullopt : at->binary_of(build.image, why);
            if (!why.empty()) {
                plan.notices.push_back(plan.kernel + ": " + one.text() + " is not baked for " +
                                       build.level + ": " + why);
                continue;
            }
            if (binary) {
                all.push_back(build);
                all.back().level += ", driver " + binary->driver;
                all.back().image = std::move(*binary);
            }
            all.push_back(std::move(build));
        }
        one.builds = std::move(all);
    }
    if (here.empty())
        plan.notices.push_back(plan.kernel +
                               ": the release has text alone, which the driver compiles at the "
                               "first launch: this machine has none of the tuned devices");
}

} // namespace attune::inline ATTUNE_ABI::detail
