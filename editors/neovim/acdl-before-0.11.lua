-- Neovim 0.7 to 0.10: save as ~/.config/nvim/plugin/acdl.lua.
vim.cmd("autocmd BufNewFile,BufRead *.acdl setfiletype acdl")

local marks = { "mkdocs.yml", "acdl.toml", "pyproject.toml", ".git" }

-- The nearest folder that has one of the marks; the folder of the file if none has.
local function root_of(file)
  local folder = vim.fn.fnamemodify(file, ":p:h")
  local found = folder
  while folder ~= vim.fn.fnamemodify(folder, ":h") do
    for _, mark in ipairs(marks) do
      if vim.loop.fs_stat(folder .. "/" .. mark) then
        return folder
      end
    end
    folder = vim.fn.fnamemodify(folder, ":h")
  end
  return found
end

local servers = {}

vim.api.nvim_create_autocmd("FileType", {
  pattern = { "acdl", "markdown" },
  callback = function(event)
    local root = root_of(vim.api.nvim_buf_get_name(event.buf))
    servers[root] = servers[root] or vim.lsp.start_client({
      name = "acdl",
      cmd = { "acdl", "lsp" },
      root_dir = root,
      settings = { acdl = { diagnostics = "open" } },
    })
    vim.lsp.buf_attach_client(event.buf, servers[root])
  end,
})
