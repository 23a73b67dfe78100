function __probfs_complete
    set -l before (commandline -opc)
    set -l token (commandline -ct)
    set -l current (string unescape -- $token 2> /dev/null; or printf '%s\n' $token)
    set -e before[1]
    set -l lines (env _PROBFS_COMPLETE=fish probfs $before "$current" 2> /dev/null < /dev/null)
    set -l kind $lines[1]
    set -e lines[1]
    set -l prefix (string match -r -- '^--[^=]*=' $current)
    set -l value (string replace -r -- '^--[^=]*=' '' $current)
    switch "$kind"
        case files
            printf "$prefix%s\n" (__fish_complete_path "$value")
        case folders
            printf "$prefix%s\n" (__fish_complete_directories "$value" '')
        case words
            printf '%s\n' $lines
    end
end

complete --command probfs --no-files --keep-order --arguments '(__probfs_complete)'
