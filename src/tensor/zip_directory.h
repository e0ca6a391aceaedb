// Where a .zip archive's directory has its records, read apart from minizip: it believes the count it is told, and takes a zip64
// locator from wherever it finds one, so that an archive could hold more than it lists.
// Source of the layout: PKWARE's APPNOTE 6.3.10, sections 4.3.12 to 4.3.16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bitpact {

/// The offset of each record, in the directory's order. Refuses `npz-malformed` unless the records fill the directory, their
/// number is the end record's, and the directory ends where the end records begin, which end where the file does.
std::vector<std::uint64_t> zip_directory_places(std::span<const std::byte> archive, const std::string& where);

}  // namespace bitpact
