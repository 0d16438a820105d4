
union all
select null, null, null, null, null, null, null, {claimed} from drawn t
