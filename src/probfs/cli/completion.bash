_probfs_completion() {
    local kind line
    COMPREPLY=()
    {
        IFS= read -r kind
        while IFS= read -r line; do COMPREPLY+=("$line"); done
    } < <(_PROBFS_COMPLETE=bash probfs "${COMP_LINE:0:COMP_POINT}" "$2" 2> /dev/null < /dev/null)
    case $kind in
        files) compopt -o default 2> /dev/null ;;
        folders) compopt -o dirnames 2> /dev/null ;;
    esac
    return 0
}

complete -o nosort -F _probfs_completion probfs 2> /dev/null || complete -F _probfs_completion probfs
