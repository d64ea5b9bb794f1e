;; Add to your init file. Emacs 29 and later have Eglot; older ones get it with M-x package-install RET eglot.
(require 'eglot)

(define-derived-mode acdl-mode prog-mode "ACDL"
  "Major mode for specs of the Agentic Context Description Language."
  (setq-local comment-start "// ")
  (setq-local comment-start-skip "//+[ \t]*")
  (setq-local indent-tabs-mode nil)
  (setq-local tab-width 4)
  (modify-syntax-entry ?/ ". 12" acdl-mode-syntax-table)
  (modify-syntax-entry ?\n ">" acdl-mode-syntax-table)
  (setq-local font-lock-defaults
              '((("\\_<\\(Case\\|Default\\|Else\\|ElseIf\\|ForEach\\|Frag\\|If\\|Name\\|RolesFrag\\|StrFrag\\|Switch\\)\\_>"
                  . font-lock-keyword-face)
                 ("@[A-Za-z0-9_]+" . font-lock-variable-name-face)
                 ("\\$[A-Za-z0-9_]+" . font-lock-constant-face)))))

(add-to-list 'auto-mode-alist '("\\.acdl\\'" . acdl-mode))

(add-to-list 'eglot-server-programs '((acdl-mode markdown-mode) . ("acdl" "lsp")))

(add-hook 'acdl-mode-hook #'eglot-ensure)
