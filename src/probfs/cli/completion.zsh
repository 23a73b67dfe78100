#compdef probfs

_probfs() {
    local kind line
    local -a given lines values described
    given=("${(@Q)words[1,CURRENT]}")
    given[CURRENT]=${(Q)PREFIX}
    shift given
    lines=("${(@f)$(_PROBFS_COMPLETE=zsh probfs "${(@)given}" 2> /dev/null < /dev/null)}")
    kind=$lines[1]
    shift lines
    [[ $PREFIX == --*=* ]] && compset -P 1 '*='
    case $kind in
        files) _files ;;
        folders) _files -/ ;;
        words)
            for line in "${(@)lines}"; do
                if [[ $line == *$'\t'* ]]; then
                    described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
                else
                    values+=("$line")
                fi
            done
            (( $#values )) && compadd -V values -a values
            (( $#described )) && _describe -V probfs described
            ;;
    esac
}

if [[ $funcstack[1] == _probfs ]]; then
    _probfs "$@"
else
    compdef _probfs probfs
fi
