
union all
select null, null, null, null, null, null, null, {task} from drawn t
