/* Cooked panels as files: the bytes of toile_panel_save. */
#ifndef TOILE_IO_PANEL_FILE_H
#define TOILE_IO_PANEL_FILE_H

#include "toile/toile.h"

toile_result panel_write(const char *path, const toile_panel *panel);
/* A file that cannot be opened or read gives TOILE_ERROR_INVALID. */
toile_result panel_read(const char *path, toile_panel **panel);

#endif
