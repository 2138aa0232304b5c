// attune/compile/clang/detail/linking.hpp - selects JITLink, and what its older versions need.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/detail/elf_object.hpp>
#include <attune/compile/detail/object_symbols.hpp>
#include <attune/compile/system/code_size.hpp>
#include <attune/core/version.hpp>

#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/JITLink/EHFrameSupport.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/Orc/Shared/WrapperFunctionUtils.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

#if LLVM_VERSION_MAJOR < 18

/// Registers unwind tables, and gives every object a deallocation action: LLVM 16 does not unmap an
/// object without one.
class unmapping_plugin final : public llvm::orc::EHFrameRegistrationPlugin {
public:
    using EHFrameRegistrationPlugin::EHFrameRegistrationPlugin;

    void modifyPassConfig(llvm::orc::MaterializationResponsibility& responsibility,
                          llvm::jitlink::LinkGraph& graph,
                          llvm::jitlink::PassConfiguration& passes) override
    {
        EHFrameRegistrationPlugin::modifyPassConfig(responsibility, graph, passes);
        passes.PrePrunePasses.emplace_back([](llvm::jitlink::LinkGraph& object) -> llvm::Error {
            namespace shared = llvm::orc::shared;
            auto nothing = shared::WrapperFunctionCall::Create<shared::SPSArgList<>>(
                llvm::orc::ExecutorAddr::fromPtr(&do_nothing));
            if (!nothing) return nothing.takeError();
            object.allocActions().push_back({{}, std::move(*nothing)});
            return llvm::Error::success();
        });
    }

private:
    static llvm::orc::shared::CWrapperFunctionResult do_nothing(char const*, std::size_t)
    {
        using llvm::orc::shared::WrapperFunction;
        return WrapperFunction<llvm::orc::shared::SPSError()>::handle(
                   nullptr, 0, []() -> llvm::Error { return llvm::Error::success(); })
            .release();
    }
};

/// Before LLVM 18 the default on x86-64 was RuntimeDyld.
inline void link_with_jitlink(llvm::orc::LLJITBuilder& builder)
{
    builder.setObjectLinkingLayerCreator(
        [](llvm::orc::ExecutionSession& session,
           llvm::Triple const&) -> llvm::Expected<std::unique_ptr<llvm::orc::ObjectLayer>> {
            auto layer = std::make_unique<llvm::orc::ObjectLinkingLayer>(session);
            layer->addPlugin(std::make_unique<unmapping_plugin>(
                session, std::make_unique<llvm::jitlink::InProcessEHFrameRegistrar>()));
            return layer;
        });
}

#else

inline void link_with_jitlink(llvm::orc::LLJITBuilder&) {}

#endif

/// An object has this empty section if no exception can leave its functions or pass through them.
/// The section is not loaded.
inline constexpr char const* nounwind_section = ".attune.nounwind";

/// From the first unwind tables on that JITLink registers, libgcc before 13 takes a lock at each
/// exception of the program. In the child of a fork that lock stays locked where another thread
/// threw: the child waits for ever at its first exception. The tables of a shared object need no
/// lock. A function of libgcc 13 tells which one this is.
[[nodiscard]] inline bool locks_at_exceptions()
{
    return ::dlvsym(RTLD_DEFAULT, "__truncsfbf2", "GCC_13.0.0") == nullptr;
}

/// Facts about the linking of an object, from its symbols.
struct linking_needs {
    std::string why_linker{}; ///< what JITLink cannot link in it; empty when there is nothing
    bool has_statics = false; ///< make_statics_callable() changed the module
    std::vector<std::string_view> undefined{}; ///< names that must be found
    /// An exception may pass through it: it needs its unwind tables. See locks_at_exceptions().
    bool may_unwind = true;

    explicit linking_needs(elf_object const& object)
    {
        for (Elf64_Shdr const& section : object.sections())
            if (object.name(section) == nounwind_section) may_unwind = false;
        object.for_symbols([&](std::string_view name, Elf64_Sym const& symbol) {
            unsigned const type = ELF64_ST_TYPE(symbol.st_info);
            if (type == STT_TLS) why_linker = "it has thread_local variables";
            if (type == STT_GNU_IFUNC && why_linker.empty())
                why_linker = "it chooses functions when it is loaded (target_clones, ifunc)";
            if (name == initialize_symbol) has_statics = true;
            if (symbol.st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL &&
                name != "_GLOBAL_OFFSET_TABLE_")
                undefined.push_back(name);
        });
    }
};

/// A copy of an object, for JITLink: without the unwind tables where no exception may pass. That of
/// LLVM 16 refuses the relocations of a section that is not loaded, as frame_sizes_flag makes one:
/// the copy is without them, too.
[[nodiscard]] inline std::unique_ptr<llvm::MemoryBuffer> linkable_copy(llvm::StringRef object,
                                                                       bool may_unwind)
{
    std::unique_ptr<llvm::WritableMemoryBuffer> out =
        llvm::WritableMemoryBuffer::getNewUninitMemBuffer(object.size(), "kernel.o");
    std::copy(object.begin(), object.end(), out->getBufferStart());
    elf_object const sections({object.data(), object.size()});
    if (!sections.usable()) return out;
    Elf64_Ehdr header;
    std::memcpy(&header, object.data(), sizeof header);
    for (std::size_t i = 0; i < sections.sections().size(); ++i) {
        Elf64_Shdr section = sections.sections()[i];
        bool const is_relocations =
            section.sh_type == SHT_RELA && sections.is_section(section.sh_info);
        std::string_view const name =
            sections.name(is_relocations ? sections.sections()[section.sh_info] : section);
        bool const is_left_out =
            (!may_unwind && name == ".eh_frame") ||
            (LLVM_VERSION_MAJOR < 17 && is_relocations && name == frame_sizes_section);
        if (!is_left_out) continue;
        section.sh_type = SHT_NULL;
        std::memcpy(out->getBufferStart() + header.e_shoff + i * sizeof section, &section,
                    sizeof section);
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
