/** Maximum bytes of a file, such as a scanned book as PDF. The file is held in memory once. */
export const MAX_FILE_BYTES = 200 * 1024 * 1024;
/** Maximum bytes of text in a file. The longest book has about 10 MB; larger files are nearly always exports or logs. */
export const MAX_TEXT_BYTES = 20 * 1024 * 1024;
/** Maximum bytes of one page or file fetched from the web. */
export const MAX_PAGE_FILE_BYTES = 20 * 1024 * 1024;
/**
 * Maximum total bytes, after unpacking, of the files that are read from an archive. The pictures of a document have a
 * separate limit of the same size.
 */
export const MAX_UNPACKED_BYTES = 100 * 1024 * 1024;
/** Maximum number of files in an archive. The longest book (EPUB) has a few thousand. */
export const MAX_ARCHIVE_PARTS = 20_000;
/** Maximum columns of a spreadsheet or CSV file: the limit of Excel. */
export const MAX_TABLE_COLUMNS = 16_384;
/**
 * Maximum cells of a sheet up to its last row and column, including empty cells. If JSON or YAML entries are read as
 * table rows, their number times the number of different fields has the same limit.
 */
export const MAX_SHEET_CELLS = 20_000_000;
/** Maximum rows of a spreadsheet or CSV file: the limit of Excel. */
export const MAX_TABLE_ROWS = 1_048_576;
