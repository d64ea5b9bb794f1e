-- Neovim 0.11 and later: save as ~/.config/nvim/lsp/acdl.lua, then write `vim.lsp.enable("acdl")` in init.lua.
vim.filetype.add({ extension = { acdl = "acdl" } })

return {
  cmd = { "acdl", "lsp" },
  filetypes = { "acdl", "markdown" },
  root_markers = { "mkdocs.yml", "acdl.toml", "pyproject.toml", ".git" },
  settings = { acdl = { diagnostics = "open" } },
}
