/**
 * Bytes of the largest file that is read: a scanned book as PDF. It is held in memory, once.
 */
export const MAX_FILE_BYTES = 200 * 1024 * 1024;
/**
 * Bytes of text that one file may hold or unpack to: the longest book has about 10 MB, and a larger file is nearly always an export or a log that would
 * answer no question. Tables may have as much.
 */
export const MAX_TEXT_BYTES = 20 * 1024 * 1024;
/** Bytes of one page, or file, that is fetched from the web. */
export const MAX_PAGE_FILE_BYTES = 20 * 1024 * 1024;
/** Bytes that all parts of an archive that are read may unpack to. A part is text or markup: pictures stay packed. */
export const MAX_UNPACKED_BYTES = 100 * 1024 * 1024;
/** Parts of an archive: the longest book has a few thousand. */
export const MAX_ARCHIVE_PARTS = 20_000;
/** Columns of one table file: what a spreadsheet can hold. */
export const MAX_TABLE_COLUMNS = 16_384;
/** Cells, empty ones too, up to the last filled row and column of a sheet; of entries as rows of a table, fields times entries. */
export const MAX_SHEET_CELLS = 20_000_000;
/** Rows of one table file: what a spreadsheet can hold. */
export const MAX_TABLE_ROWS = 1_048_576;
